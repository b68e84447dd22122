/** A process that follows servers on many connections, inserts events, and measures when all readers received them. */
import { connect, type Socket } from 'node:net';
import { Client } from 'pg';
import { quantile } from '../measuring/quantile.js';

/** A command to follow the server at a port, with one connection for each cookie. */
export interface FollowCommand {
  readonly follow: { readonly port: number; readonly cookies: readonly string[] };
}

/** A command to insert events one after the other, and to wait after each until all readers at the port received it. */
export interface EventCommand {
  readonly insert: {
    readonly port: number;
    readonly databaseUrl: string;
    readonly statement: string;
    readonly events: number;
  };
}

/** Milliseconds from the statement in the database until a reader receives the event, over all events and readers. */
export interface Delays {
  readonly p50: number;
  readonly p99: number;
}

export type AudienceResult =
  | { readonly measured: Delays }
  | { readonly following: number }
  | { readonly failed: string };

const AT_ONCE = 50;
const TIMEOUT_MS = 30_000;
/** Events have an id. Heartbeats have data without one. */
const DATA_LINE = '\ndata: {"id":';

/** The callback for data on the connections to each port. */
const arrivals = new Map<number, { readers: number; onArrival: () => void }>();

async function follow({ port, cookies }: FollowCommand['follow']): Promise<number> {
  const audience = { readers: cookies.length, onArrival: () => undefined };
  arrivals.set(port, audience);
  const waiting = [...cookies];
  const join = async (): Promise<void> => {
    for (let cookie = waiting.pop(); cookie !== undefined; cookie = waiting.pop()) await openStream(port, cookie);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, join));
  return cookies.length;
}

function openStream(port: number, cookie: string): Promise<void> {
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
      if (text.includes(DATA_LINE)) arrivals.get(port)?.onArrival();
      if (head.includes('\nid: ')) return;
      head += text;
      if (!head.startsWith('HTTP/1.1 200')) reject(new Error(head.slice(0, 1_000)));
      else if (head.includes('\nid: ')) resolve();
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('A stream ended.')));
  });
}

async function measureDelays({ port, databaseUrl, statement, events }: EventCommand['insert']): Promise<Delays> {
  const audience = arrivals.get(port);
  if (!audience) throw new Error('No reader follows this port.');
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const delays: number[] = [];
  for (let event = 0; event < events; event += 1) {
    const allReceived = new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error('A reader did not receive the event.')), TIMEOUT_MS);
      const begun = performance.now();
      let received = 0;
      audience.onArrival = () => {
        delays.push(performance.now() - begun);
        received += 1;
        if (received < audience.readers) return;
        clearTimeout(late);
        resolve();
      };
    });
    await Promise.all([client.query(statement), allReceived]);
  }
  await client.end();
  delays.sort((one, other) => one - other);
  return { p50: quantile(delays, 0.5), p99: quantile(delays, 0.99) };
}

process.on('message', (command: FollowCommand | EventCommand) => {
  const work: Promise<AudienceResult> =
    'follow' in command
      ? follow(command.follow).then((following) => ({ following }))
      : measureDelays(command.insert).then((measured) => ({ measured }));
  work.then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ failed: String(error) } satisfies AudienceResult),
  );
});
