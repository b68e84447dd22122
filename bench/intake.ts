/**
 * Measures how many webhook deliveries of 8 kB the whole service takes, each on disk before it is acknowledged, beside
 * single-row inserts of the same size: by `pgbench`, by a loop of the service's own driver, and by a bare Fastify route. In
 * turns, so that whatever else the machine does meets them all alike. `--quick` is a short try.
 */
import { withDedicatedClient } from '../src/database/dedicated-client.js';
import { BARE_INBOX } from './intake/bare-inbox.js';
import { deliveryBody } from './intake/delivery.js';
import { insertFor } from './intake/insert-loop.js';
import { hasPgbench, pgbenchFor } from './intake/pgbench.js';
import { BenchServer } from './measuring/bench-server.js';
import { Child } from './measuring/child.js';
import { Contender } from './measuring/contender.js';
import type { Measurement } from './measuring/load.js';
import { aim, HEADING, line, ratio } from './measuring/report.js';

const QUICK = process.argv.includes('--quick');
const ROUNDS = QUICK ? 3 : 9;
const LOAD = { connections: 64, warmUpMs: 500, durationMs: QUICK ? 1_000 : 4_000 };
const POOL_SIZE = 16;

interface Participant {
  readonly name: string;
  readonly rounds: Measurement[];
  readonly round: () => Promise<void>;
}

async function compare(server: BenchServer, toStop: { stop(): Promise<void> }[]): Promise<void> {
  const own = await server.make('intake', async () => undefined);
  const bare = await server.make('intake_bare', (url) =>
    withDedicatedClient(url, async (client) => void (await client.query(BARE_INBOX))),
  );
  const generator = new Child(new URL('intake/load-generator.js', import.meta.url));
  toStop.push(generator);
  const body = deliveryBody();

  const served = async (name: string, module: string, databaseUrl: string): Promise<Participant> => {
    const order = { databaseUrl, poolSize: POOL_SIZE };
    const contender = await Contender.start(name, new URL(module, import.meta.url), 'a delivery', order);
    toStop.push(contender);
    const { rounds } = contender;
    return { name, rounds, round: () => contender.run(generator, LOAD) };
  };
  const inserting = (name: string, measure: () => Promise<Measurement>): Participant => {
    const rounds: Measurement[] = [];
    return { name, rounds, round: async () => void rounds.push(await measure()) };
  };
  const shipgate = await served('Shipgate', 'intake/servers/shipgate.js', own.runtimeUrl);
  const fastify = await served('bare Fastify', 'intake/servers/fastify.js', bare.superuserUrl);
  const loop = inserting('node-postgres alone', () => insertFor(bare.superuserUrl, body, POOL_SIZE, LOAD.durationMs));
  const pgbench = inserting('pgbench', () =>
    pgbenchFor(bare.superuserUrl, server.folder, body, POOL_SIZE, LOAD.durationMs),
  );

  const participants = [shipgate, fastify, loop, ...(hasPgbench() ? [pgbench] : [])];
  const empty = async (): Promise<void> => {
    await withDedicatedClient(own.superuserUrl, (client) =>
      client.query('truncate webhook_delivery, graphile_worker._private_jobs, graphile_worker._private_job_queues'),
    );
    await withDedicatedClient(bare.superuserUrl, (client) => client.query('truncate bare_delivery; checkpoint'));
  };
  console.log(
    `${ROUNDS} rounds of ${LOAD.durationMs / 1_000} s each; ${LOAD.connections} connections over HTTP, ${POOL_SIZE} to the database, ` +
      `which writes to disk before it answers (fsync on) …`,
  );
  // The first turn compiles what is hot; it is forgotten.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const participant of participants) {
      await empty();
      await participant.round();
      if (round === 0) participant.rounds.length = 0;
    }
  }
  console.log(`\n${HEADING}\n${participants.map(line).join('\n')}\n`);
  if (participants.includes(pgbench)) {
    console.log(
      aim('deliveries per second, to pgbench', ratio(shipgate, pgbench, 'requestsPerSecond'), 'at least 0.60'),
    );
  } else {
    console.log(
      'This machine has no pgbench (of the package postgresql-contrib or postgresql), so nothing is compared with it.',
    );
  }
  console.log(
    aim('deliveries per second, to bare Fastify', ratio(shipgate, fastify, 'requestsPerSecond'), 'at least 0.95'),
  );
  console.log(aim('bare Fastify, to node-postgres alone', ratio(fastify, loop, 'requestsPerSecond'), 'none'));
}

const server = await BenchServer.start(true);
const toStop: { stop(): Promise<void> }[] = [];
try {
  await compare(server, toStop);
} finally {
  await Promise.all(toStop.map((child) => child.stop()));
  await server.stop();
}
