import { Client, type ClientConfig } from 'pg';

/** Runs `work` on a connection of its own, which is closed afterwards. */
export async function withDedicatedClient<T>(
  url: string,
  work: (client: Client) => Promise<T>,
  config: Omit<ClientConfig, 'connectionString'> = {},
): Promise<T> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000, ...config });
  // Without a listener a connection that its server cuts would end the process; the query in flight rejects as well.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * The same under an advisory lock of the connection's database, so that of several processes one works at a time. Who is
 * told to stop waits for the lock no longer, and rejects; work that has begun is ended.
 */
export function withAdvisoryLock<T>(
  url: string,
  key: bigint,
  work: (client: Client) => Promise<T>,
  stopping?: AbortSignal,
): Promise<T> {
  return withDedicatedClient(url, async (client) => {
    const giveUp = (): void => void client.end().catch(() => undefined);
    stopping?.addEventListener('abort', giveUp);
    try {
      stopping?.throwIfAborted();
      // It ends with the connection, also where this process is killed.
      await client.query('select pg_advisory_lock($1)', [key.toString()]);
    } finally {
      stopping?.removeEventListener('abort', giveUp);
    }
    return work(client);
  });
}
