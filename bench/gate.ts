/**
 * Measures the gate through the whole service beside the same question on bare servers, in turns, so that whatever else
 * the machine does meets them all alike. Every answer is compared with the right one. `--quick` is a short try.
 */
import { populate, releasesIn, type Population } from './gate/population.js';
import { BenchServer } from './measuring/bench-server.js';
import { Child } from './measuring/child.js';
import { Contender } from './measuring/contender.js';
import { aim, HEADING, line, ratio } from './measuring/report.js';

const QUICK = process.argv.includes('--quick');
const LARGE: Population = QUICK
  ? { organizations: 100, repositories: 10, releases: 10 }
  : { organizations: 1_000, repositories: 20, releases: 50 };
const SMALL: Population = { organizations: 10, repositories: 10, releases: 10 };
const ROUNDS = QUICK ? 3 : 9;
const LOAD = { connections: 64, warmUpMs: QUICK ? 500 : 1_000, durationMs: QUICK ? 1_000 : 4_000 };
const POOL_SIZE = 8;

async function compare(server: BenchServer, toStop: { stop(): Promise<void> }[]): Promise<void> {
  const started = async (
    name: string,
    module: string,
    population: Population,
    databaseUrl: string,
  ): Promise<Contender<Population>> => {
    const server = { databaseUrl, poolSize: POOL_SIZE };
    const contender = await Contender.start(name, new URL(module, import.meta.url), population, server);
    toStop.push(contender);
    return contender;
  };
  console.log(`Making ${count(SMALL)} and ${count(LARGE)} releases …`);
  const large = await server.make('gate_large', (url) => populate(url, LARGE));
  const small = await server.make('gate_small', (url) => populate(url, SMALL));
  const shipgate = 'gate/servers/shipgate.js';
  const whole = await started(`Shipgate, ${count(LARGE)} releases`, shipgate, LARGE, large.runtimeUrl);
  const fastify = await started(
    `bare Fastify, ${count(LARGE)} releases`,
    'gate/servers/fastify.js',
    LARGE,
    large.superuserUrl,
  );
  const http = await started(
    `bare node:http, ${count(LARGE)} releases`,
    'gate/servers/node-http.js',
    LARGE,
    large.superuserUrl,
  );
  const few = await started(`Shipgate, ${count(SMALL)} releases`, shipgate, SMALL, small.runtimeUrl);
  const generator = new Child(new URL('gate/load-generator.js', import.meta.url));
  toStop.push(generator);

  const contenders = [whole, fastify, http, few];
  console.log(
    `${ROUNDS} rounds of ${LOAD.durationMs / 1_000} s each, ${LOAD.connections} connections, pools of ${POOL_SIZE} …`,
  );
  // The first turn compiles what is hot and fills the caches; it is forgotten.
  for (const contender of contenders) await contender.run(generator, LOAD);
  for (const contender of contenders) contender.rounds.length = 0;
  for (let round = 0; round < ROUNDS; round++) {
    for (const contender of contenders) await contender.run(generator, LOAD);
  }
  console.log(`\n${HEADING}\n${contenders.map(line).join('\n')}\n`);
  console.log(aim('requests per second, to bare Fastify', ratio(whole, fastify, 'requestsPerSecond'), 'at least 0.85'));
  console.log(aim('requests per second, to bare node:http', ratio(whole, http, 'requestsPerSecond'), 'at least 0.75'));
  console.log(aim(`p99 at ${count(LARGE)} releases to ${count(SMALL)}`, ratio(whole, few, 'p99'), 'at most 1.5'));
}

const count = (population: Population): string => releasesIn(population).toLocaleString('en');

async function benchGate(): Promise<void> {
  const server = await BenchServer.start(false);
  const toStop: { stop(): Promise<void> }[] = [];
  try {
    await compare(server, toStop);
  } finally {
    await Promise.all(toStop.map((child) => child.stop()));
    await server.stop();
  }
}

await benchGate();
