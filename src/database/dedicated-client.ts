import { Client, type ClientConfig } from 'pg';
import { primaryUrl } from './primary.js';

/** Runs `work` on its own connection, to the primary, and closes it afterwards. */
export async function withDedicatedClient<T>(
  url: string,
  work: (client: Client) => Promise<T>,
  config: Omit<ClientConfig, 'connectionString'> = {},
): Promise<T> {
  const client = new Client({ connectionString: await primaryUrl(url), connectionTimeoutMillis: 10_000, ...config });
  // Without a listener a lost connection would stop the process. The running query rejects anyway.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Runs `work` on its own connection under an advisory lock of the database, so that only one process works at a time. A
 * stop signal ends the wait for the lock, and the call rejects. Work that has started is finished.
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
      // The lock ends with the connection, also if this process is killed.
      await client.query('select pg_advisory_lock($1)', [key.toString()]);
    } finally {
      stopping?.removeEventListener('abort', giveUp);
    }
    return work(client);
  });
}
