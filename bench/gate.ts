/**
 * Compares the gate of the whole service with the same request on bare servers, in turns, so that other work of the machine affects
 * all of them. Every answer is compared with the correct one. `--quick` runs a shorter measurement.
 */
import { populate, releasesIn, type Population } from './gate/population.js';
import { BenchServer } from './measuring/bench-server.js';
import { Child } from './measuring/child.js';
import { Contender } from './measuring/contender.js';
import { formatResult, HEADING, line, ratio } from './measuring/report.js';

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
  console.log(`Creating ${count(SMALL)} and ${count(LARGE)} releases …`);
  const large = await server.createDatabase('gate_large', (url) => populate(url, LARGE));
  const small = await server.createDatabase('gate_small', (url) => populate(url, SMALL));
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
  // The first round compiles hot code and fills caches, so it does not count.
  for (const contender of contenders) await contender.run(generator, LOAD);
  for (const contender of contenders) contender.rounds.length = 0;
  for (let round = 0; round < ROUNDS; round++) {
    for (const contender of contenders) await contender.run(generator, LOAD);
  }
  console.log(`\n${HEADING}\n${contenders.map(line).join('\n')}\n`);
  console.log(
    formatResult(
      'requests per second, compared with bare Fastify',
      ratio(whole, fastify, 'requestsPerSecond'),
      'at least 0.85',
    ),
  );
  console.log(
    formatResult(
      'requests per second, compared with bare node:http',
      ratio(whole, http, 'requestsPerSecond'),
      'at least 0.75',
    ),
  );
  console.log(
    formatResult(
      `p99 at ${count(LARGE)} releases, compared with ${count(SMALL)}`,
      ratio(whole, few, 'p99'),
      'at most 1.5',
    ),
  );
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
