/**
 * Measures how many webhook deliveries of 8 kB per second the whole service stores on disk before it acknowledges them. It compares
 * them with single-row inserts of the same size by `pgbench`, by a loop with the driver of the service, and by a bare Fastify route,
 * in turns, so that other work of the machine affects all of them. `--quick` runs a shorter measurement.
 */
import { withDedicatedClient } from '../src/database/dedicated-client.js';
import { BARE_INBOX } from './intake/bare-inbox.js';
import { deliveryBody } from './intake/delivery.js';
import { runInserts } from './intake/insert-loop.js';
import { hasPgbench, runPgbench } from './intake/pgbench.js';
import { BenchServer } from './measuring/bench-server.js';
import { Child } from './measuring/child.js';
import { Contender } from './measuring/contender.js';
import type { Measurement } from './measuring/load.js';
import { formatResult, HEADING, line, ratio } from './measuring/report.js';
import { JOB_QUEUE_TABLE, JOB_TABLE } from '../src/database/job-tables.js';

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
  const own = await server.createDatabase('intake', async () => undefined);
  const bare = await server.createDatabase('intake_bare', (url) =>
    withDedicatedClient(url, async (client) => void (await client.query(BARE_INBOX))),
  );
  const generator = new Child(new URL('intake/load-generator.js', import.meta.url));
  toStop.push(generator);
  const body = deliveryBody();

  const startServer = async (name: string, module: string, databaseUrl: string): Promise<Participant> => {
    const order = { databaseUrl, poolSize: POOL_SIZE };
    const contender = await Contender.start(name, new URL(module, import.meta.url), 'a delivery', order);
    toStop.push(contender);
    const { rounds } = contender;
    return { name, rounds, round: () => contender.run(generator, LOAD) };
  };
  const inserter = (name: string, measure: () => Promise<Measurement>): Participant => {
    const rounds: Measurement[] = [];
    return { name, rounds, round: async () => void rounds.push(await measure()) };
  };
  const shipgate = await startServer('Shipgate', 'intake/servers/shipgate.js', own.runtimeUrl);
  const fastify = await startServer('bare Fastify', 'intake/servers/fastify.js', bare.superuserUrl);
  const loop = inserter('node-postgres alone', () => runInserts(bare.superuserUrl, body, POOL_SIZE, LOAD.durationMs));
  const pgbench = inserter('pgbench', () =>
    runPgbench(bare.superuserUrl, server.folder, body, POOL_SIZE, LOAD.durationMs),
  );

  const participants = [shipgate, fastify, loop, ...(hasPgbench() ? [pgbench] : [])];
  const empty = async (): Promise<void> => {
    await withDedicatedClient(own.superuserUrl, (client) =>
      client.query(`truncate webhook_delivery, ${JOB_TABLE}, ${JOB_QUEUE_TABLE}`),
    );
    await withDedicatedClient(bare.superuserUrl, (client) => client.query('truncate bare_delivery; checkpoint'));
  };
  console.log(
    `${ROUNDS} rounds of ${LOAD.durationMs / 1_000} s each; ${LOAD.connections} connections over HTTP, ${POOL_SIZE} to the database, ` +
      `which flushes to disk before it answers (fsync on) …`,
  );
  // The first round compiles hot code, so it does not count.
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
      formatResult(
        'deliveries per second, compared with pgbench',
        ratio(shipgate, pgbench, 'requestsPerSecond'),
        'at least 0.60',
      ),
    );
  } else {
    console.log(
      'This machine has no pgbench (package postgresql-contrib or postgresql), so there is no comparison with it.',
    );
  }
  console.log(
    formatResult(
      'deliveries per second, compared with bare Fastify',
      ratio(shipgate, fastify, 'requestsPerSecond'),
      'at least 0.95',
    ),
  );
  console.log(
    formatResult('bare Fastify, compared with node-postgres alone', ratio(fastify, loop, 'requestsPerSecond'), 'none'),
  );
}

const server = await BenchServer.start(true);
const toStop: { stop(): Promise<void> }[] = [];
try {
  await compare(server, toStop);
} finally {
  await Promise.all(toStop.map((child) => child.stop()));
  await server.stop();
}
