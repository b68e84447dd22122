/** A process of its own that follows servers on many connections, lets events happen, and measures when everybody was told. */
import { connect, type Socket } from 'node:net';
import { Client } from 'pg';
import { quantile } from '../measuring/quantile.js';

/** To follow the server at a port on one connection for each of the cookies. */
export interface FollowOrder {
  readonly follow: { readonly port: number; readonly cookies: readonly string[] };
}

/** To let events happen, one after the other, and to wait for each until everybody at the port was told. */
export interface TellOrder {
  readonly tell: {
    readonly port: number;
    readonly databaseUrl: string;
    readonly statement: string;
    readonly events: number;
  };
}

/** Milliseconds from when the database is told to when a reader is, over all events and readers. */
export interface Told {
  readonly p50: number;
  readonly p99: number;
}

export type AudienceResult = { readonly told: Told } | { readonly following: number } | { readonly failed: string };

const AT_ONCE = 50;
const PATIENCE_MS = 30_000;
const TOLD = '\ndata: ';

/** Who counts what arrives at the connections to each port. */
const arrivals = new Map<number, { readers: number; onArrival: () => void }>();

async function follow({ port, cookies }: FollowOrder['follow']): Promise<number> {
  const audience = { readers: cookies.length, onArrival: () => undefined };
  arrivals.set(port, audience);
  const waiting = [...cookies];
  const join = async (): Promise<void> => {
    for (let cookie = waiting.pop(); cookie !== undefined; cookie = waiting.pop()) await greeted(port, cookie);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, join));
  return cookies.length;
}

function greeted(port: number, cookie: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true });
    socket.setEncoding('latin1');
    socket.once('connect', () =>
      socket.write(
        `GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: ${cookie}\r\nAccept: text/event-stream\r\n\r\n`,
      ),
    );
    let head = '';
    socket.on('data', (text: string) => {
      if (text.includes(TOLD)) arrivals.get(port)?.onArrival();
      if (head.includes('\nid: ')) return;
      head += text;
      if (!head.startsWith('HTTP/1.1 200')) reject(new Error(head.slice(0, 1_000)));
      else if (head.includes('\nid: ')) resolve();
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('A stream ended.')));
  });
}

async function tell({ port, databaseUrl, statement, events }: TellOrder['tell']): Promise<Told> {
  const audience = arrivals.get(port);
  if (!audience) throw new Error('Nobody follows there.');
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const delays: number[] = [];
  for (let event = 0; event < events; event += 1) {
    const everybody = new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error('Somebody was not told.')), PATIENCE_MS);
      const begun = performance.now();
      let told = 0;
      audience.onArrival = () => {
        delays.push(performance.now() - begun);
        told += 1;
        if (told < audience.readers) return;
        clearTimeout(late);
        resolve();
      };
    });
    await Promise.all([client.query(statement), everybody]);
  }
  await client.end();
  delays.sort((one, other) => one - other);
  return { p50: quantile(delays, 0.5), p99: quantile(delays, 0.99) };
}

process.on('message', (order: FollowOrder | TellOrder) => {
  const work: Promise<AudienceResult> =
    'follow' in order
      ? follow(order.follow).then((following) => ({ following }))
      : tell(order.tell).then((told) => ({ told }));
  work.then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ failed: String(error) } satisfies AudienceResult),
  );
});
