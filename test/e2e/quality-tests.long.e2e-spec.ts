import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TESTS_PER_PART } from '../../src/domain/quality/test-results.js';
import { ReleaseGroupsService } from '../../src/features/quality/release-groups.service.js';
import type { ReleaseGroupDto } from '../../src/features/quality/quality.dto.js';
import { DecisionsRepository } from '../../src/features/releases/records/decisions.repository.js';
import type { CiRunClient } from '../support/ci-run-client.js';
import { type UserSession, signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';

type Outcome = 'passed' | 'failed' | 'skipped';

const INSIDE: Readonly<Record<Outcome, string>> = {
  passed: '',
  failed: '<failure message="no"/>',
  skipped: '<skipped/>',
};

/** A JUnit file of tests by their names. */
const junitOf = (tests: Readonly<Record<string, Outcome>>): string =>
  `<testsuites><testsuite name="s">${Object.entries(tests)
    .map(([name, outcome]) => `<testcase classname="c" name="${name}">${INSIDE[outcome]}</testcase>`)
    .join('')}</testsuite></testsuites>`;
const many = (count: number, more: Readonly<Record<string, Outcome>> = {}): Readonly<Record<string, Outcome>> => ({
  ...Object.fromEntries(Array.from({ length: count }, (_, at) => [`t${at}`, 'passed'])),
  ...more,
});

let env: TestEnvironment;
let rhea: UserSession;

beforeAll(async () => {
  env = await TestEnvironment.start({ BILLING: 'off' });
  await env.install();
  rhea = await signIn(env, env.github.createUser({ login: 'rhea' }));
});
afterAll(() => env.stop());

/** A public repository. */
async function scenarioOf(name: string): Promise<RepositoryScenario> {
  const scenario = new RepositoryScenario(env, { name });
  scenario.repository.changeVisibility('public');
  await env.waitUntilIdle();
  return scenario;
}

async function upload(
  run: CiRunClient,
  version: string,
  tests: Readonly<Record<string, Outcome>>,
  more: object = {},
): Promise<void> {
  const files = [{ filename: 'junit.xml', content: junitOf(tests) }];
  expect((await run.upload(version, { files, job: 'test', ...more })).status).toBe(201);
}

/** Ships a release with these tests. Returns its commit. */
async function ship(
  scenario: RepositoryScenario,
  version: string,
  tests: Readonly<Record<string, Outcome>>,
): Promise<string> {
  scenario.milestone(version);
  const sha = scenario.commit();
  await env.waitUntilIdle();
  await upload(scenario.run(sha), version, tests);
  await upload(scenario.run(sha), version, {}, { files: undefined, metrics: { coverage: { line_percent: 80 } } });
  await env.waitUntilIdle();
  scenario.approve(version);
  await env.waitUntilIdle();
  await scenario.deploy(sha);
  return sha;
}

async function show(version: string, repo: string, by = rhea): Promise<ReleaseGroupDto> {
  const { status, body } = await by.get(`/api/quality?page=1&repo=${repo}&milestone=${version}`);
  expect(status).toBe(200);
  const [group] = body['results'] as readonly ReleaseGroupDto[];
  if (!group) throw new Error(`there is no ${version} of ${repo}`);
  return group;
}

/** The release after its tests were compared. */
async function compared(version: string, repo: string): Promise<ReleaseGroupDto> {
  await show(version, repo);
  await env.waitUntilIdle();
  return show(version, repo);
}

describe('a release after a shipped one', () => {
  let scenario: RepositoryScenario;
  let sha: string;

  beforeAll(async () => {
    scenario = await scenarioOf('followed');
    await ship(scenario, 'v1.0.0', {
      stays: 'passed',
      breaks: 'passed',
      goes: 'passed',
      rests: 'passed',
      idle: 'skipped',
    });
    scenario.milestone('v1.1.0');
    sha = scenario.commit();
    await env.waitUntilIdle();
    await upload(scenario.run(sha), 'v1.1.0', {
      stays: 'passed',
      breaks: 'failed',
      rests: 'skipped',
      fresh: 'failed',
      'new one': 'passed',
    });
    await upload(scenario.run(sha), 'v1.1.0', {}, { files: undefined, metrics: { coverage: { line_percent: 78.5 } } });
    await env.waitUntilIdle();
  });

  it('retains the scorecard with which it shipped, and its score appears in the history', async () => {
    const shipped = await show('v1.0.0', 'followed');
    expect(shipped).toMatchObject({ stage: 'DEPLOYED', change: null });
    expect(shipped.scorecard).toMatchObject({ score: 92.8, grade: 'A' });
    const { body } = await rhea.get('/api/history?repository=acme/followed');
    expect(body['history']).toMatchObject([{ version: 'v1.0.0', score: 92.8 }]);
    const stored = await env.asSuperuser(
      `select shipped_scorecard ->> 'grade' as grade from release where shipped_scorecard is not null and version = 'v1.0.0'`,
    );
    expect(stored).toEqual([{ grade: 'A' }]);
  });

  it('is pending until its tests are compared, and then sends an event', async () => {
    const before = await show('v1.1.0', 'followed');
    expect([before.comparison, before.change?.tests, before.flaky]).toEqual(['pending', null, null]);
    expect(before.change).toMatchObject({ against: { version: 'v1.0.0' }, coverage: -1.5 });
    await env.waitUntilIdle();
    const after = await show('v1.1.0', 'followed');
    expect(after.comparison).toBe('known');
    expect(after.change?.tests).toEqual({
      newFailures: { count: 2, names: ['s › c › breaks', 's › c › fresh'] },
      fixedTests: { count: 0, names: [] },
      lostTests: { count: 2, names: ['s › c › goes', 's › c › rests'] },
    });
    expect(after.flaky).toEqual({ count: 0, names: [], rate: 0 });
    expect(after.scorecard.grade).toBe('D');
    const events = await env.asSuperuser(
      `select type from event where release_id = '${after.milestoneId}' and type = 'release.updated' order by entry desc limit 1`,
    );
    expect(events).toHaveLength(1);
  });

  it('is scored, when it ships, against the release that shipped before its decision', async () => {
    const { milestoneId } = await show('v1.1.0', 'followed');
    const decided = await env.database.inTenant(await env.orgId(), async (tx) => {
      const decisions = env.app.get(DecisionsRepository);
      return decisions.findDecided(tx, (await decisions.findLatest(tx, milestoneId)) ?? '');
    });
    expect(decided).toMatchObject({ predecessorLinePercent: 80, policy: expect.any(Object) });
  });

  it('is compared again when other evidence counts, and finds flaky tests across uploads', async () => {
    await upload(scenario.run(sha), 'v1.1.0', { stays: 'passed', breaks: 'passed', goes: 'passed', fresh: 'failed' });
    await env.waitUntilIdle();
    expect((await show('v1.1.0', 'followed')).comparison).toBe('pending');
    const { change, flaky, comparison } = await compared('v1.1.0', 'followed');
    expect(comparison).toBe('known');
    expect(change?.tests).toEqual({
      newFailures: { count: 1, names: ['s › c › fresh'] },
      fixedTests: { count: 0, names: [] },
      lostTests: { count: 1, names: ['s › c › rests'] },
    });
    // Of the five tests that ran: stays, breaks, fresh, new one and goes.
    expect(flaky).toEqual({ count: 1, names: ['s › c › breaks'], rate: 0.2 });
  });

  it('cannot be compared if an upload names no tests', async () => {
    const metrics = { unit_tests: { total: 4, passed: 4, failed: 0, skipped: 0 } };
    const { status } = await scenario.run(sha).upload('v1.1.0', { metrics, job: 'test' });
    expect(status).toBe(201);
    const { change, comparison, flaky } = await compared('v1.1.0', 'followed');
    expect([comparison, change?.tests]).toEqual(['known', null]);
    expect(flaky?.count).toBe(1);
  });
});

describe('tests of a release', () => {
  let scenario: RepositoryScenario;

  it('are stored once per report, however often it is uploaded, and named wherever they are in it', async () => {
    scenario = await scenarioOf('large');
    const count = TESTS_PER_PART + 10;
    await ship(scenario, 'v1.0.0', many(count));
    scenario.milestone('v1.1.0');
    const sha = scenario.commit();
    await env.waitUntilIdle();
    const tests = many(count - 1, { t0: 'failed', [`t${count - 2}`]: 'failed' });
    await upload(scenario.run(sha), 'v1.1.0', tests);
    await upload(scenario.run(sha), 'v1.1.0', tests);
    const { change } = await compared('v1.1.0', 'large');
    expect(change?.tests).toEqual({
      newFailures: { count: 2, names: ['s › c › t0', `s › c › t${count - 2}`] },
      fixedTests: { count: 0, names: [] },
      lostTests: { count: 1, names: [`s › c › t${count - 1}`] },
    });
    const testResults = await env.asSuperuser(
      `select sum(test_count)::int as tests, count(*)::int as parts from test_results group by sha256 having sum(test_count) > 100 order by 1`,
    );
    expect(testResults).toEqual([
      { tests: count - 1, parts: 2 },
      { tests: count, parts: 2 },
    ]);
  });

  it('are compared before a list of groups contains them', async () => {
    const pending = await env.asSuperuser<{ readonly version: string }>(
      `select r.version from release r join repository p on p.org_id = r.org_id and p.id = r.repository_id
       where p.name = 'large' and not exists (select from test_comparison c where c.release_id = r.id)`,
    );
    expect(pending).toEqual([{ version: 'v1.0.0' }]);
    const filter = { owner: null, repo: 'large', milestone: null, type: null, environment: null };
    const viewer = { orgId: await env.orgId(), userId: rhea.user.id };
    const found: ReleaseGroupDto[] = [];
    for await (const group of env.app.get(ReleaseGroupsService).stream(viewer, filter)) found.push(group);
    expect(found.map(({ version, comparison, flaky }) => [version, comparison, flaky?.count])).toEqual([
      ['v1.1.0', 'known', 0],
      ['v1.0.0', 'known', 0],
    ]);
  });

  it('of a private repository are hidden from users who cannot read it', async () => {
    const viewer = { orgId: await env.orgId(), userId: rhea.user.id };
    const seen = (): Promise<readonly object[]> =>
      env.database.asViewer(viewer, (tx) =>
        tx.query(`select from test_comparison where release_id = any($1)`, [releaseIds]),
      );
    const releaseIds = (
      await env.asSuperuser<{ readonly id: string }>(
        `select r.id from release r join repository p on p.org_id = r.org_id and p.id = r.repository_id where p.name = 'large'`,
      )
    ).map(({ id }) => id);
    expect(await seen()).toHaveLength(2);
    scenario.repository.changeVisibility('private');
    await env.waitUntilIdle();
    const { body } = await rhea.get('/api/quality?page=1&repo=large');
    expect([body['results'], (body['pagination'] as { total: number }).total]).toEqual([[], 0]);
    expect(await seen()).toEqual([]);
  });
});
