/**
 * Measures the lists in the database with row-level security of a user at three sizes, and compares the dashboard of the whole
 * service with a bare Fastify route and the same rows. `--quick` runs a shorter measurement.
 */
import { deepStrictEqual } from 'node:assert';
import { DATABASE_HEADING, measureInDatabase } from './lists/database-lists.js';
import { confirmMembers, type ListPopulation, populateLists } from './lists/list-population.js';
import { type ListSubject } from './lists/list-requests.js';
import { type BenchDatabase, BenchServer } from './measuring/bench-server.js';
import { Child } from './measuring/child.js';
import { Contender } from './measuring/contender.js';
import { formatResult, HEADING, line, ratio } from './measuring/report.js';

const QUICK = process.argv.includes('--quick');
const SIZES: readonly ListPopulation[] = QUICK
  ? [
      { releases: 1_000, own: 1_000 },
      { releases: 20_000, own: 10_000 },
    ]
  : [
      { releases: 1_000, own: 1_000 },
      { releases: 100_000, own: 40_000 },
      { releases: 1_000_000, own: 40_000 },
    ];
const TIMES = QUICK ? 10 : 100;
const ROUNDS = QUICK ? 3 : 9;
const LOAD = { connections: 16, warmUpMs: 500, durationMs: QUICK ? 1_000 : 4_000 };
const POOL_SIZE = 8;
const PATH = '/api/dashboard?page=1&pageSize=50';

interface FilledDatabase {
  readonly population: ListPopulation;
  readonly database: BenchDatabase;
  readonly cookie: string;
}

const count = ({ releases }: ListPopulation): string => releases.toLocaleString('en');

async function prepare(server: BenchServer, population: ListPopulation): Promise<FilledDatabase> {
  let cookie = '';
  const database = await server.createDatabase(`lists_${population.releases}`, async (url) => {
    cookie = await populateLists(url, population);
  });
  return { population, database, cookie };
}

/** Compares both servers after a check that their answers are equal. */
async function compare({ population, database, cookie }: FilledDatabase, generator: Child): Promise<void> {
  const servers = [
    [`Shipgate, ${count(population)} releases`, 'lists/servers/shipgate.js', database.runtimeUrl],
    [`bare Fastify, ${count(population)} releases`, 'lists/servers/fastify.js', database.superuserUrl],
  ] as const;
  await confirmMembers(database.superuserUrl);
  const contenders: Contender<ListSubject>[] = [];
  try {
    const bodies: unknown[] = [];
    for (const [name, module, databaseUrl] of servers) {
      const of = { databaseUrl, poolSize: POOL_SIZE };
      const subject = { path: PATH, cookie, answer: '' };
      const contender = await Contender.start(name, new URL(module, import.meta.url), subject, of);
      contenders.push(contender);
      const response = await fetch(`${contender.url}${PATH}`, { headers: { cookie } });
      subject.answer = await response.text();
      bodies.push(JSON.parse(subject.answer));
    }
    // Its error shows the fields that differ.
    deepStrictEqual(bodies[1], bodies[0]);
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const contender of contenders) await contender.run(generator, LOAD);
      // The first round compiles hot code, so it does not count.
      if (round === 0) for (const { rounds } of contenders) rounds.length = 0;
    }
    console.log(`\n${HEADING}\n${contenders.map(line).join('\n')}`);
    const [whole, bare] = contenders;
    if (whole && bare) {
      console.log(
        formatResult(
          'requests per second, compared with bare Fastify',
          ratio(whole, bare, 'requestsPerSecond'),
          'at least 0.9',
        ),
      );
    }
  } finally {
    await Promise.all(contenders.map((contender) => contender.stop()));
  }
}

const server = await BenchServer.start(false);
const generator = new Child(new URL('lists/load-generator.js', import.meta.url));
try {
  const all: FilledDatabase[] = [];
  for (const population of SIZES) {
    console.log(`\n${count(population)} releases, ${population.own.toLocaleString('en')} of the requesting workspace`);
    const prepared = await prepare(server, population);
    console.log(DATABASE_HEADING);
    await measureInDatabase(prepared.database, TIMES);
    all.push(prepared);
  }
  console.log(`\n${ROUNDS} rounds of ${LOAD.durationMs / 1_000} s each, ${LOAD.connections} connections …`);
  for (const prepared of all) await compare(prepared, generator);
} finally {
  await generator.stop();
  await server.stop();
}
