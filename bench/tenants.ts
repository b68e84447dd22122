/**
 * Compares the service in a database of few workspaces with one of many: its start, the gate, the first page of the dashboard, and the
 * database's part of a round of syncs. A workspace has ten repositories with one release each. `--quick` compares fewer workspaces.
 */
import { Database } from '../src/database/database.js';
import { JobsService } from '../src/jobs/jobs.service.js';
import { WorkspacesQueries } from '../src/workspaces/workspaces.queries.js';
import type { GateSubject } from './gate/gate-requests.js';
import { populate, type Population } from './gate/population.js';
import { confirmMembers, populateLists } from './lists/list-population.js';
import type { ListSubject } from './lists/list-requests.js';
import { type BenchDatabase, BenchServer } from './measuring/bench-server.js';
import { Child } from './measuring/child.js';
import { Contender } from './measuring/contender.js';
import { median } from './measuring/median.js';
import { formatResult, HEADING, line, ratio } from './measuring/report.js';

const QUICK = process.argv.includes('--quick');
const [FEW, MANY] = QUICK ? [100, 2_000] : [1_000, 100_000];
const REPOSITORIES = 10;
/** The requesting workspace of the lists has ten repositories with 50 releases each. */
const OWN_RELEASES = 500;
const ROUNDS = QUICK ? 3 : 9;
const STARTS = QUICK ? 1 : 3;
const SYNCS = 500;
const GATE_LOAD = { connections: 64, warmUpMs: 500, durationMs: QUICK ? 1_000 : 4_000 };
const LIST_LOAD = { connections: 16, warmUpMs: 500, durationMs: QUICK ? 1_000 : 4_000 };
const POOL_SIZE = 8;
const PATH = '/api/dashboard?page=1&pageSize=50';
const TARGET = 'at most 2';

interface Installation {
  readonly name: string;
  readonly population: Population;
  readonly gate: BenchDatabase;
  readonly lists: BenchDatabase;
  readonly cookie: string;
}

async function fill(server: BenchServer, organizations: number): Promise<Installation> {
  const name = `${organizations.toLocaleString('en')} workspaces`;
  console.log(`Creating ${name} …`);
  const population = { organizations, repositories: REPOSITORIES, releases: 1 };
  const gate = await server.createDatabase(`gate_${organizations}`, (url) => populate(url, population));
  let cookie = '';
  const lists = await server.createDatabase(`lists_${organizations}`, async (url) => {
    const others = { repositories: REPOSITORIES, releases: 1 };
    const releases = OWN_RELEASES + (organizations - 1) * REPOSITORIES;
    cookie = await populateLists(url, { releases, own: OWN_RELEASES, others });
  });
  return { name, population, gate, lists, cookie };
}

const start = <Subject>(name: string, folder: string, subject: Subject, { runtimeUrl }: BenchDatabase) =>
  Contender.start(name, new URL(`${folder}/servers/shipgate.js`, import.meta.url), subject, {
    databaseUrl: runtimeUrl,
    poolSize: POOL_SIZE,
  });

const startGate = ({ name, population, gate }: Installation): Promise<Contender<GateSubject>> =>
  start<GateSubject>(name, 'gate', { population, signer: null }, gate);

/** Returns the milliseconds until a process of the service listens: the median of a few starts. */
async function measureStart(installation: Installation): Promise<number> {
  const times: number[] = [];
  for (let time = 0; time < STARTS; time += 1) {
    const begin = performance.now();
    const process = await startGate(installation);
    times.push(performance.now() - begin);
    await process.stop();
  }
  return median(times);
}

/** Returns the milliseconds for a workspace: its part of the list of installations, and its job. */
async function measureSyncs({ gate, population }: Installation): Promise<number> {
  const database = await Database.open({ url: gate.runtimeUrl, poolSize: 1 });
  try {
    const jobs = new JobsService(database);
    const begin = performance.now();
    const installed = await new WorkspacesQueries(database).listInstalled();
    const listing = (performance.now() - begin) / installed.length;
    if (installed.length !== population.organizations) throw new Error(`${installed.length} workspaces were listed.`);
    const enqueued = performance.now();
    for (const { installationId } of installed.slice(0, SYNCS)) {
      await jobs.enqueueGlobal('sync-installation', { installationId });
    }
    return listing + (performance.now() - enqueued) / Math.min(SYNCS, installed.length);
  } finally {
    await database.close();
  }
}

/** Measures both installations in turns, and prints the result for each and their ratio. */
async function compare<Subject>(
  title: string,
  generator: Child,
  contenders: readonly [Contender<Subject>, Contender<Subject>],
  settings: typeof GATE_LOAD,
): Promise<void> {
  try {
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const contender of contenders) await contender.run(generator, settings);
      // The first round compiles hot code, so it does not count.
      if (round === 0) for (const { rounds } of contenders) rounds.length = 0;
    }
    const [few, many] = contenders;
    console.log(`\n${title}\n${HEADING}\n${contenders.map(line).join('\n')}`);
    console.log(formatResult('p50 with many workspaces, compared with few', ratio(many, few, 'p50'), TARGET));
    console.log(formatResult('p99 with many workspaces, compared with few', ratio(many, few, 'p99'), TARGET));
  } finally {
    await Promise.all(contenders.map((contender) => contender.stop()));
    await generator.stop();
  }
}

async function startList({ name, lists, cookie }: Installation): Promise<Contender<ListSubject>> {
  await confirmMembers(lists.superuserUrl);
  const subject = { path: PATH, cookie, answer: '' };
  const contender = await start<ListSubject>(name, 'lists', subject, lists);
  const response = await fetch(`${contender.url}${PATH}`, { headers: { cookie } });
  if (!response.ok) throw new Error(`The dashboard was answered with ${response.status}.`);
  subject.answer = await response.text();
  return contender;
}

const server = await BenchServer.start(false);
try {
  const few = await fill(server, FEW ?? 0);
  const many = await fill(server, MANY ?? 0);
  for (const [title, measure] of [
    ['start to listening', measureStart],
    ['a round of syncs, for each workspace', measureSyncs],
  ] as const) {
    const [ofFew, ofMany] = [await measure(few), await measure(many)];
    console.log(formatResult(`\n${title}: ${ofFew.toFixed(2)} ms, ${ofMany.toFixed(2)} ms`, ofMany / ofFew, TARGET));
  }
  await compare(
    'The gate, any release of any workspace',
    new Child(new URL('gate/load-generator.js', import.meta.url)),
    [await startGate(few), await startGate(many)],
    GATE_LOAD,
  );
  await compare(
    'The first page of the dashboard of a workspace with 500 releases',
    new Child(new URL('lists/load-generator.js', import.meta.url)),
    [await startList(few), await startList(many)],
    LIST_LOAD,
  );
} finally {
  await server.stop();
}
