import { readFileSync } from 'node:fs';
import { TestEnvironment } from '../../test/support/test-environment.js';
import { startTestServer } from '../../test/support/test-server-start.js';
import { RepositoryScenario } from '../../test/e2e/scenarios/repository-scenario.js';

const RELEASES = process.argv.includes('--quick') ? 10 : 60;
const WARM_UP = 3;
const ISSUES = 8;
const CANDIDATES = 3;
const TESTS = 500;
const KB = 1_000;
/** A release of each of 1,000 repositories in every second week. */
const RELEASES_PER_YEAR = 26_000;

/** The tables that grow with uploads, decisions and deliveries. The other tables count only in the total of a release. */
const OF_UPLOADS = [
  'evidence',
  'evidence_report',
  'evidence_facet',
  'evidence_coverage',
  'run_coverage',
  'report_content',
  'report_content_block',
  'test_results',
];
const OF_DECISIONS = ['decision'];
const OF_DELIVERIES = ['webhook_delivery'];

type Sizes = ReadonlyMap<string, number>;

const fixture = (name: string): string => readFileSync(`test/fixtures/reports/${name}`, 'utf8');
const COVERAGE = fixture('jacoco/jacoco-0.8.6-groups.xml');
const FINDINGS = fixture('sarif/eslint-9.sarif');
const COMPONENTS = fixture('cyclonedx/cyclonedx-npm-6.json');

let uploads = 0;

/** Returns a JUnit file like that of a real run: the times differ, so the content is stored once for each upload. */
function junit(): string {
  const cases = Array.from(
    { length: TESTS },
    (_, n) =>
      `<testcase classname="payments.api.Test${n % 40}" name="accepts case ${n}" time="${(Math.random() * 2).toFixed(4)}"/>`,
  );
  return `<testsuites><testsuite name="unit" tests="${TESTS}">${cases.join('\n')}</testsuite></testsuites>`;
}

/** Appends white space, so that the content of each upload is different. */
const unique = (text: string): string => text + ' '.repeat((uploads += 1));

async function liveThrough(env: TestEnvironment, scenario: RepositoryScenario, version: string): Promise<void> {
  const milestone = scenario.milestone(version);
  for (let n = 0; n < ISSUES; n += 1) {
    const { issues } = scenario.repository;
    issues.close(issues.create({ title: `Change number ${n} of ${version}`, milestone }));
  }
  await env.waitUntilIdle();
  for (let candidate = 0; candidate < CANDIDATES; candidate += 1) {
    const run = scenario.run(scenario.commit());
    await env.waitUntilIdle();
    const files = [
      [{ filename: 'junit.xml', content: junit() }, 'unit'],
      [{ filename: 'jacoco.xml', content: unique(COVERAGE) }, 'coverage'],
      [{ filename: 'eslint.sarif', content: unique(FINDINGS) }, 'lint'],
      [{ filename: 'bom.json', content: unique(COMPONENTS) }, 'bom'],
    ] as const;
    for (const [file, pipeline] of files) {
      const { status, body } = await run.upload(version, { files: [file], pipeline });
      if (status !== 201) throw new Error(`The upload was answered with ${status}: ${JSON.stringify(body)}`);
    }
    await env.waitUntilIdle();
  }
  scenario.approve(version);
  await env.waitUntilIdle();
  await scenario.deploy(scenario.head());
}

async function readSizes(env: TestEnvironment): Promise<Sizes> {
  const rows = await env.asSuperuser<{ name: string; bytes: number }>(
    `select c.relname as name, pg_total_relation_size(c.oid)::float8 as bytes from pg_class c
     where c.relnamespace in ('public'::regnamespace, 'graphile_worker'::regnamespace) and c.relkind = 'r'`,
  );
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}

async function count(env: TestEnvironment, table: string): Promise<number> {
  const [row] = await env.asSuperuser<{ count: number }>(`select count(*)::int as count from ${table}`);
  return row?.count ?? 0;
}

const stop = await startTestServer();
try {
  const env = await TestEnvironment.start({ BILLING: 'off' });
  try {
    await env.install();
    const scenario = new RepositoryScenario(env, { name: 'payments' });
    for (let n = 1; n <= WARM_UP; n += 1) await liveThrough(env, scenario, `v0.${n}.0`);
    const counted = ['evidence', 'decision', 'webhook_delivery'] as const;
    const counts = async (): Promise<readonly number[]> => Promise.all(counted.map((table) => count(env, table)));
    const [sizes, before] = [await readSizes(env), await counts()];
    for (let n = 1; n <= RELEASES; n += 1) await liveThrough(env, scenario, `v1.${n}.0`);
    const [grown, after] = [await readSizes(env), await counts()];
    const growth = new Map([...grown].map(([name, bytes]) => [name, bytes - (sizes.get(name) ?? 0)]));
    const [evidence = 0, decisions = 0, deliveries = 0] = after.map((number, at) => number - (before[at] ?? 0));
    print(growth, { evidence, decisions, deliveries });
  } finally {
    await env.stop();
  }
} finally {
  await stop();
}

function print(growth: Sizes, of: { evidence: number; decisions: number; deliveries: number }): void {
  const sum = (names: readonly string[]): number => names.reduce((total, name) => total + (growth.get(name) ?? 0), 0);
  const line = (name: string, bytes: number): void =>
    console.log(`${name.padEnd(52)} ${(bytes / KB).toFixed(1).padStart(9)} kB`);
  const total = sum([...growth.keys()]);
  const perRelease = (number: number): string => (number / RELEASES).toFixed(1);
  console.log(
    `\n${RELEASES} releases, each with ${ISSUES} issues, ${CANDIDATES} candidates, ${perRelease(of.evidence)} uploads, ` +
      `${perRelease(of.decisions)} decisions and ${perRelease(of.deliveries)} deliveries\n`,
  );
  line('a release', total / RELEASES);
  line('  of that without deliveries', (total - sum(OF_DELIVERIES)) / RELEASES);
  const records = total - sum([...OF_UPLOADS, ...OF_DECISIONS, ...OF_DELIVERIES]);
  line('  of that its records besides uploads and decisions', records / RELEASES);
  line('an upload', sum(OF_UPLOADS) / of.evidence);
  line('a decision', sum(OF_DECISIONS) / of.decisions);
  line('a delivery, for 8 days', sum(OF_DELIVERIES) / of.deliveries);
  console.log('\nby table, for a release');
  for (const [name, bytes] of [...growth].toSorted(([, one], [, other]) => other - one)) {
    if (bytes > 0) line(`  ${name}`, bytes / RELEASES);
  }
  const year = ((total - sum(OF_DELIVERIES)) / RELEASES) * RELEASES_PER_YEAR;
  console.log(`\na year of 1,000 repositories with ${RELEASES_PER_YEAR} releases: ${(year / 1e9).toFixed(1)} GB`);
}
