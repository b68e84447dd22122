import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Issue } from '../github-sim/state/issues.js';
import type { Pull } from '../github-sim/state/pull.js';
import type { Repository } from '../github-sim/state/repository.js';
import { CiRunClient } from '../support/ci-run-client.js';
import { nextRunId, type CiSettings } from './ci.js';
import type { DemoClock } from './demo-clock.js';
import type { DemoEnvironment } from './demo-environment.js';
import type { Narrator } from './narrator.js';
import { headOf, type ReleaseWalkthrough } from './release-walkthrough.js';

const PATIENCE_MS = 20_000;
const PAUSE_MS = 50;
/** GitHub states times in whole seconds, so a deployment begins in a later second than its approval. */
const SECONDS_MS = 5_000;

interface PastRelease {
  readonly repository: keyof DemoEnvironment['repositories'];
  readonly version: string;
  readonly title: string;
  /** The age of the milestone, in days. */
  readonly planned: number;
  readonly tests: number;
  /** Percent of lines. */
  readonly coverage: number;
  readonly warnings: number;
}

/** The releases of each day on which the organization deployed, by how many days ago it was. */
const RELEASE_DAYS: readonly (readonly [number, readonly PastRelease[]])[] = [
  [
    118,
    [
      past('payments', 'v1.1.0', 'Pay by invoice', { planned: 141, tests: 58, coverage: 81, warnings: 9 }),
      past('catalog', 'v0.6.0', 'Filter by size', { planned: 130, tests: 61, coverage: 64, warnings: 7 }),
      past('checkout', 'v2.0.0', 'One page for all steps', { planned: 127, tests: 74, coverage: 72, warnings: 4 }),
    ],
  ],
  [
    83,
    [
      past('payments', 'v1.2.0', 'Store cards', { planned: 104, tests: 77, coverage: 86, warnings: 6 }),
      past('checkout', 'v2.1.0', 'Gift wrapping', { planned: 97, tests: 96, coverage: 71, warnings: 8 }),
      past('catalog', 'v0.7.0', 'Pictures in search results', { planned: 89, tests: 88, coverage: 69, warnings: 5 }),
    ],
  ],
  [
    47,
    [
      past('payments', 'v1.3.0', 'Pay in parts', { planned: 72, tests: 96, coverage: 90, warnings: 3 }),
      past('catalog', 'v0.8.0', 'Prices by country', { planned: 58, tests: 117, coverage: 77, warnings: 2 }),
      past('checkout', 'v2.2.0', 'Pick up in a shop', { planned: 51, tests: 119, coverage: 79, warnings: 3 }),
    ],
  ],
  [
    20,
    [
      past('payments', 'v1.3.1', 'Round the last part', { planned: 24, tests: 98, coverage: 91, warnings: 2 }),
      past('catalog', 'v0.8.1', 'Show missing prices', { planned: 21, tests: 121, coverage: 80, warnings: 1 }),
    ],
  ],
];

/** The age of the beginning of the demo, in days. */
export const FIRST_DAY =
  Math.max(...RELEASE_DAYS.flatMap(([, releases]) => releases.map(({ planned }) => planned))) + 1;

/** Ships the releases of the past months with the real service, whose clock the demo moves. Then it is today. */
export async function shipPastReleases(
  environment: DemoEnvironment,
  { reports, issuer, serviceUrl }: CiSettings,
  clock: DemoClock,
  walk: ReleaseWalkthrough,
  narrator: Narrator,
): Promise<void> {
  narrator.chapter('The past months: releases that were shipped before');
  const { developer, releaseManager } = environment.accounts;
  const target = { issuer, app: { getUrl: () => Promise.resolve(serviceUrl) } };
  const ciAt = (repository: Repository): CiRunClient =>
    new CiRunClient(target, repository, { sha: headOf(repository), runId: nextRunId() });

  for (const [shipped, releases] of RELEASE_DAYS) {
    const planned: {
      readonly release: PastRelease;
      readonly repository: Repository;
      readonly issue: Issue;
      readonly work: Pull;
    }[] = [];
    for (const release of releases) {
      await clock.moveTo(release.planned);
      const repository = environment.repositories[release.repository];
      const { version, title } = release;
      const milestone = repository.milestones.create({ title: version, description: title });
      const issue = repository.issues.create({ title, milestone, author: releaseManager, assignees: [developer] });
      const branch = `work-on-${version}`;
      const files = { [`src/${version}.ts`]: `export const title = '${title}';\n` };
      repository.createBranch(branch, headOf(repository), developer);
      repository.commit({ branch, files, author: developer, message: title });
      const work = repository.pulls.open({ head: branch, title, body: `Closes #${issue.number}`, author: developer });
      await until(`${version} is begun`, async () => stagesAfterPlanning(await ciAt(repository).gate(version)));
      planned.push({ release, repository, issue, work });
    }

    await clock.moveTo(shipped);
    const ready = planned.map(async ({ release, repository, issue, work }) => {
      const { version } = release;
      repository.pulls.merge(work, { method: 'squash', by: developer });
      if (issue.state === 'open') repository.issues.close(issue, developer);
      const ci = ciAt(repository);
      const { status } = await ci.upload(version, {
        job: 'test',
        environment: 'staging',
        files: reportsOf(release, reports),
      });
      walk.expectStatus(status, 201, `${repository.name} ${version}, ${shipped} days ago`);
      // A request for the gate reads GitHub at once. Without one the service would wait for further uploads.
      await until(`${version} has evidence`, async () => (await ci.gate(version)).current_stage === 'EVIDENCING');
      const pull = await walk.evidencePull(repository, version);
      repository.pulls.reviews.submit(pull, { by: releaseManager, state: 'APPROVED' });
      await until(`${version} is ready`, async () => (await ci.gate(version)).can_deploy);
    });
    await Promise.all(ready);
    await clock.advance(SECONDS_MS);
    const done = planned.map(async ({ release: { version }, repository }) => {
      const deployment = repository.deployments.create({
        ref: headOf(repository),
        environment: 'production',
        creator: developer,
      });
      repository.deployments.setStatus(deployment, 'success');
      await until(
        `${version} is shipped`,
        async () => (await ciAt(repository).gate(version)).current_stage === 'DEPLOYED',
      );
    });
    await Promise.all(done);
  }
  await clock.moveTo(0);
}

function past(
  repository: PastRelease['repository'],
  version: string,
  title: string,
  numbers: Omit<PastRelease, 'repository' | 'version' | 'title'>,
): PastRelease {
  return { repository, version, title, ...numbers };
}

const stagesAfterPlanning = ({ current_stage: stage }: { readonly current_stage: string }): boolean =>
  stage !== 'PLANNING';

/** Repeats a check until it holds. The service may not have stored the release yet. */
async function until(what: string, check: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline) {
    if (await check().catch(() => false)) return;
    await sleep(PAUSE_MS);
  }
  throw new Error(`this did not happen: ${what}`);
}

/** The files of a smaller version of the program that the later releases test. */
function reportsOf({ tests, coverage, warnings }: PastRelease, folder: string): readonly object[] {
  const lines = Array.from({ length: 100 }, (_, line) => `DA:${line + 1},${line < coverage ? 1 : 0}`);
  const results = Array.from({ length: warnings }, (_, line) => ({
    ruleId: 'no-unused-vars',
    level: 'warning',
    message: { text: 'A variable is never used.' },
    locations: [{ physicalLocation: { artifactLocation: { uri: 'src/index.ts' }, region: { startLine: line + 1 } } }],
  }));
  const sarif = { version: '2.1.0', runs: [{ tool: { driver: { name: 'oxlint', version: '1.89.0' } }, results }] };
  const suites = firstTestsOf(readFileSync(path.join(folder, 'junit.xml'), 'utf8'), tests);
  return [
    { filename: 'junit.xml', content: `<testsuites>${suites.join('')}</testsuites>` },
    { filename: 'lcov.info', content: `SF:src/index.ts\n${lines.join('\n')}\nLF:100\nLH:${coverage}\nend_of_record\n` },
    { filename: 'oxlint.sarif', content: JSON.stringify(sarif) },
  ];
}

/** Returns the suites of a report with its first tests only. Their names stay, so that the tests can be compared with those of later releases. */
function firstTestsOf(junit: string, count: number): readonly string[] {
  const suites: string[] = [];
  let left = count;
  for (const [suite = '', name = ''] of junit.matchAll(/<testsuite name="([^"]*)"[\s\S]*?<\/testsuite>/g)) {
    const cases = (suite.match(/<testcase[\s\S]*?<\/testcase>/g) ?? []).slice(0, left);
    left -= cases.length;
    if (cases.length > 0) {
      suites.push(`<testsuite name="${name}" tests="${cases.length}" failures="0">${cases.join('')}</testsuite>`);
    }
  }
  return suites;
}
