/**
 * Measures the time from an event until 2,000 readers of one workspace receive it from one process, and the memory per reader. It
 * compares them with a bare Fastify fan-out without authentication, in turns, so that other work of the machine affects both.
 * `--readers=10000` sets the number of readers. `--quick` runs a shorter measurement.
 */
import type { AudienceResult, FollowCommand, EventCommand, Delays } from './events/audience.js';
import { createFollowers, STREAMS_PER_USER, NOTIFY_BARE, INSERT_EVENT } from './events/followers.js';
import { BenchServer } from './measuring/bench-server.js';
import { Child } from './measuring/child.js';
import { median } from './measuring/median.js';
import { formatResult } from './measuring/report.js';
import type { Listening, Memory } from './measuring/served.js';

const QUICK = process.argv.includes('--quick');
const NAMED = process.argv.find((argument) => argument.startsWith('--readers='))?.slice('--readers='.length);
const READERS = Number(NAMED ?? (QUICK ? 200 : 2_000));
if (!(READERS > 0)) throw new TypeError('--readers must be a number above 0.');
const ROUNDS = QUICK ? 3 : 9;
const EVENTS_A_ROUND = 20;
const POOL_SIZE = 16;

/** A server and all readers that follow its events. */
class FanOut {
  readonly rounds: Delays[] = [];
  bytesAReader = Number.NaN;

  private constructor(
    readonly name: string,
    private readonly server: Child,
    private readonly audience: Child,
    private readonly port: number,
  ) {}

  static async start(name: string, module: string, databaseUrl: string, cookies: readonly string[]): Promise<FanOut> {
    const server = new Child(new URL(module, import.meta.url), [databaseUrl, String(POOL_SIZE)], ['--expose-gc']);
    const { port } = await server.next<Listening>();
    const audience = new Child(new URL('events/audience.js', import.meta.url));
    const fanOut = new FanOut(name, server, audience, port);
    const before = await fanOut.memory();
    await fanOut.execute({ follow: { port, cookies } });
    fanOut.bytesAReader = ((await fanOut.memory()) - before) / cookies.length;
    return fanOut;
  }

  async run(databaseUrl: string, statement: string): Promise<void> {
    const result = await this.execute({ insert: { port: this.port, databaseUrl, statement, events: EVENTS_A_ROUND } });
    if ('measured' in result) this.rounds.push(result.measured);
  }

  async stop(): Promise<void> {
    await this.audience.stop();
    await this.server.stop();
  }

  private async memory(): Promise<number> {
    this.server.send({});
    return (await this.server.next<Memory>()).residentBytes;
  }

  private async execute(command: FollowCommand | EventCommand): Promise<AudienceResult> {
    this.audience.send(command);
    const result = await this.audience.next<AudienceResult>();
    if ('failed' in result) throw new Error(`${this.name}: ${result.failed}`);
    return result;
  }
}

function line({ name, rounds, bytesAReader }: FanOut): string {
  const [p50, p99] = (['p50', 'p99'] as const).map((of) => median(rounds.map((round) => round[of])).toFixed(1));
  return [name.padEnd(24), p50!.padStart(8), p99!.padStart(8), (bytesAReader / 1_024).toFixed(1).padStart(12)].join(
    ' ',
  );
}

const server = await BenchServer.start(true);
const toStop: FanOut[] = [];
try {
  let cookies: readonly string[] = [];
  const { runtimeUrl, superuserUrl } = await server.createDatabase('events', async (url) => {
    cookies = await createFollowers(url, READERS / STREAMS_PER_USER);
  });
  const streams = Array.from({ length: READERS }, (_, reader) => cookies[reader % cookies.length] ?? '');
  const shipgate = await FanOut.start('Shipgate', 'events/servers/shipgate.js', runtimeUrl, streams);
  toStop.push(shipgate);
  const fastify = await FanOut.start('bare Fastify', 'events/servers/fastify.js', superuserUrl, streams);
  toStop.push(fastify);
  console.log(`${READERS} readers at each server, ${ROUNDS} rounds of ${EVENTS_A_ROUND} events, one after the other …`);
  for (let round = 0; round <= ROUNDS; round++) {
    await shipgate.run(superuserUrl, INSERT_EVENT);
    await fastify.run(superuserUrl, NOTIFY_BARE);
    // The first round compiles hot code, so it does not count.
    if (round === 0) for (const { rounds } of toStop) rounds.length = 0;
  }
  console.log(
    `\n${['', 'p50 ms', 'p99 ms', 'kB per reader'].map((title, at) => (at === 0 ? title.padEnd(24) : title.padStart(at === 3 ? 12 : 8))).join(' ')}`,
  );
  console.log(`${toStop.map(line).join('\n')}\n`);
  const ratio = median(shipgate.rounds.map(({ p99 }, at) => p99 / (fastify.rounds[at]?.p99 ?? Number.NaN)));
  console.log(formatResult('p99 from event to reader, compared with bare Fastify', ratio, 'for comparison'));
  console.log(
    formatResult(
      'memory per reader, compared with bare Fastify',
      shipgate.bytesAReader / fastify.bytesAReader,
      'for comparison',
    ),
  );
} finally {
  await Promise.all(toStop.map((fanOut) => fanOut.stop()));
  await server.stop();
}
