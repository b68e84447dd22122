import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type UserSession, signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';
import { ScopeScenario } from './scenarios/scope-scenario.js';

const MINUTE_MS = 60_000;
/** Longer than the time in which the service does not read a value again. */
const MOMENT_MS = 6_000;
/** The response has a retry time, so the service calls again afterwards. */
const AWAY = { kind: '5xx', status: 503, retryAfterS: 30 } as const;
const POLICY = `version: v1
stages:
  planning: { require_issues: true, require_issues_assigned: true }
  testing: { required_checks: [e2e] }
  evidencing: { required_evidence: [{ kind: unit_tests, environment: ci }] }
`;

interface Details {
  readonly release: Readonly<Record<string, unknown>>;
  readonly verification: { readonly status: string; readonly reason: string | null };
  readonly stages: readonly Readonly<Record<'stage' | 'standing', string> & Record<Part, readonly StageJson[]>>[];
  readonly reasons: readonly StageJson[];
  readonly warnings: readonly StageJson[];
  readonly scope: Readonly<Record<string, unknown>>;
  readonly evidence: readonly Readonly<Record<string, unknown>>[];
  readonly moreEvidence: number;
  readonly checks: Readonly<Record<string, unknown>>;
  readonly transitions: readonly Readonly<Record<string, string | null>>[];
  readonly policy: Readonly<Record<string, unknown>>;
}
type Part = 'met' | 'unmet' | 'unknown';
interface StageJson {
  readonly code: string;
  readonly detail: string;
  /** These only for an unmet condition. */
  readonly override?: string;
  readonly closesGate?: boolean;
}

let env: TestEnvironment;
let scenario: ScopeScenario;
let secret: RepositoryScenario;
let mia: UserSession;

beforeAll(async () => {
  env = await TestEnvironment.start();
  scenario = new ScopeScenario(env, { name: 'payments', sdlc: POLICY });
  secret = new RepositoryScenario(env, { name: 'hushed' });
  await env.install();
  mia = await scenario.member('mia', 'write');
});
afterAll(() => env.stop());
afterEach(() => {
  env.github.faults.clear();
  expect(env.violations).toEqual([]);
});

async function read(version: string, by = mia): Promise<Details> {
  const { status, body } = await by.get(`/api/milestones/${await scenario.id(version)}`);
  expect([version, status]).toEqual([version, 200]);
  return body as unknown as Details;
}

const statuses = ({ stages }: Details): readonly string[] =>
  stages.map(({ stage, standing: status }) => `${stage} ${status}`);
const codes = ({ stages }: Details, requested: string, part: Part): readonly string[] =>
  (stages.find(({ stage }) => stage === requested)?.[part] ?? []).map(({ code }) => code);
const overrides = ({ stages, reasons, warnings }: Details): readonly (readonly [string, string | undefined])[] =>
  [...stages.flatMap(({ unmet, unknown }) => [...unmet, ...unknown]), ...reasons, ...warnings].map(
    ({ code, override }) => [code, override],
  );
const reportCheck = (sha: string, conclusion: 'success' | 'failure') =>
  scenario.repository.checkRuns.create({ sha, name: 'e2e', app: env.githubApp, conclusion });

describe('a release', () => {
  it('is returned with all details at each stage', async () => {
    const milestone = scenario.milestone('v1.0.0');
    await env.waitUntilIdle();
    const planned = await read('v1.0.0');
    expect(planned).toMatchObject({
      release: { org: 'acme', repo: 'payments', version: 'v1.0.0', stage: 'PLANNING', outcome: 'in_progress' },
      verification: { status: 'verified', reason: null },
      scope: { status: 'current', reason: null, issues: [] },
      evidence: [],
      moreEvidence: 0,
      checks: { status: 'unknown', reason: 'It was not read yet.', observedAt: null, commitSha: null, reported: [] },
      transitions: [{ from: null, to: 'PLANNING', actor: 'service' }],
      policy: { status: 'current', state: 'valid', rules: { planning: { requireIssues: true } } },
    });
    expect(codes(planned, 'PLANNING', 'unmet')).toEqual(['not_started', 'scope_empty']);
    // Without a candidate there is no override.
    expect(new Set(overrides(planned).map(([, override]) => override))).toEqual(new Set(['none']));

    const issue = scenario.issue('Pay by card', milestone);
    scenario.repository.issues.assign(issue, mia.user);
    const sha = scenario.commit();
    await env.waitUntilIdle();
    await scenario.test('v1.0.0', sha);
    const developed = await read('v1.0.0');
    expect(statuses(developed).slice(0, 3)).toEqual(['PLANNING passed', 'DEVELOPMENT current', 'TESTING ahead']);
    expect(codes(developed, 'PLANNING', 'met')).toEqual(['started', 'scope_filled', 'issues_owned']);
    expect(codes(developed, 'DEVELOPMENT', 'unmet')).toEqual(['issue_open']);
    expect(codes(developed, 'TESTING', 'unmet')).toEqual(['check_missing']);
    expect(Object.fromEntries(overrides(developed))).toMatchObject({
      issue_open: 'waiver',
      check_missing: 'waiver',
      not_deployed: 'none',
    });
    expect(developed.scope).toMatchObject({
      issues: [{ number: issue.number, title: 'Pay by card', state: 'open', owners: ['mia'], labels: [] }],
    });
    expect(developed.evidence).toMatchObject([
      { type: 'unit_tests', environment: 'ci', commitSha: sha, status: 'passed', failures: [], decides: true },
    ]);

    scenario.repository.issues.close(issue);
    reportCheck(sha, 'success');
    await env.waitUntilIdle();
    const evidencing = await read('v1.0.0');
    expect(evidencing.checks).toMatchObject({
      status: 'current',
      commitSha: sha,
      reported: expect.arrayContaining([expect.objectContaining({ name: 'e2e', state: 'success' })]),
    });
    expect(codes(evidencing, 'TESTING', 'met')).toEqual([
      'policy_valid',
      'check_succeeded',
      'tests_passed',
      'evidence_provided',
    ]);
    expect(codes(evidencing, 'EVIDENCING', 'unmet')).toEqual(['approvals_missing']);
    expect(evidencing.reasons).toMatchObject([{ code: 'approvals_missing', override: 'break_glass' }]);

    scenario.approve('v1.0.0');
    await env.waitUntilIdle();
    const approved = await read('v1.0.0');
    expect(statuses(approved).slice(3)).toEqual(['EVIDENCING passed', 'DEPLOYMENT current', 'DEPLOYED ahead']);
    expect(approved.reasons).toEqual([]);
    expect(approved.release).toMatchObject({ outcome: 'ready_to_deploy' });

    await scenario.deploy(sha);
    const shipped = await read('v1.0.0');
    expect(statuses(shipped).at(-1)).toBe('DEPLOYED current');
    expect(codes(shipped, 'TESTING', 'met')).toEqual(['tests_passed']);
    expect(shipped.scope).toMatchObject({ status: 'current', issues: [{ title: 'Pay by card', state: 'closed' }] });
    scenario.repository.issues.edit(issue, { title: 'Pay by cheque' });
    scenario.repository.issues.reopen(issue);
    await env.waitUntilIdle();
    expect((await read('v1.0.0')).scope).toEqual(shipped.scope);
    const { transitions } = shipped;
    // Each transition begins at the stage in which the one before it ended.
    expect(transitions.map(({ from }) => from)).toEqual([null, ...transitions.slice(0, -1).map(({ to }) => to)]);
    expect(transitions.at(-1)).toMatchObject({ from: 'DEPLOYMENT', to: 'DEPLOYED' });
  });

  it('is read from GitHub for each viewer, also without a delivery', async () => {
    const milestone = scenario.milestone('v1.1.0');
    await env.waitUntilIdle();
    expect((await read('v1.1.0')).scope).toMatchObject({ issues: [] });
    env.outbox.faults.next({ kind: 'lose', event: 'issues', times: 2 });
    scenario.issue('Lost on the way', milestone);
    await env.waitUntilIdle();
    // The service does not read a value again within a moment.
    env.clock.advance(MOMENT_MS);
    expect(await read('v1.1.0')).toMatchObject({
      release: { issues: { open: 1, closed: 0 } },
      scope: { status: 'current', issues: [{ title: 'Lost on the way' }] },
    });
    const callsBefore = env.exchanges.length;
    await Promise.all([read('v1.1.0'), read('v1.1.0'), read('v1.1.0')]);
    expect(env.exchanges.slice(callsBefore).map(({ path }) => path)).toEqual([]);
  });

  it('is shown by stored facts without a call to GitHub and without the budget of live reads, if requested', async () => {
    env.outbox.faults.next({ kind: 'lose', event: 'issues', times: 2 });
    scenario.issue('Not stored yet', scenario.repository.milestones.findByTitle('v1.1.0') ?? null);
    await env.waitUntilIdle();
    env.clock.advance(MOMENT_MS);
    const path = `/api/milestones/${await scenario.id('v1.1.0')}`;
    const callsBefore = env.exchanges.length;
    for (let count = 0; count <= 20; count += 1) {
      const { status, body } = await mia.get(`${path}?look=stored`);
      expect([count, status, body]).toMatchObject([
        count,
        200,
        {
          release: { issues: { open: 1 }, readiness: { status: 'not_ready' } },
          verification: { status: 'unknown', reason: expect.stringContaining('Only stored facts were requested') },
          scope: { status: 'current', issues: [{ title: 'Lost on the way' }] },
        },
      ]);
    }
    await env.waitUntilIdle();
    expect(env.exchanges.slice(callsBefore).map(({ path: called }) => called)).toEqual([]);
    env.clock.advance(20 * MINUTE_MS);
    const { body } = await mia.get(`${path}?look=stored`);
    expect(body).toMatchObject({ release: { readiness: { status: 'expired' } }, scope: { status: 'unknown' } });
    expect((body as unknown as Details).stages.flatMap(({ met }) => met)).toEqual([]);
    const live = (await mia.get(`${path}?look=live`)).body;
    expect(live).toMatchObject({ verification: { status: 'verified' }, release: { issues: { open: 2 } } });
  });

  it.each(['look=', 'look=fresh', 'look=stored&look=live', 'stored=true'])(
    'cannot be requested with the parameter %s',
    async (query) => {
      const { status, body } = await mia.get(`/api/milestones/${await scenario.id('v1.1.0')}?${query}`);
      expect([query, status, body]).toEqual([query, 400, { error: expect.any(String) }]);
    },
  );

  it('names the facts that could not be read, and no expired fact meets a condition', async () => {
    env.clock.advance(MOMENT_MS);
    env.github.faults.next({ ...AWAY, match: /^GET \/repos\//, times: 1_000 });
    const fresh = await read('v1.1.0');
    expect(fresh.verification).toEqual({
      status: 'unknown',
      reason: 'GitHub does not answer now, so the stored facts may be out of date.',
    });
    expect(fresh.scope).toMatchObject({ status: 'current' });
    expect(codes(fresh, 'TESTING', 'met')).toContain('policy_valid');

    env.clock.advance(20 * MINUTE_MS);
    const old = await read('v1.1.0');
    expect(old.scope).toMatchObject({ status: 'unknown', reason: 'The last read from GitHub is too old to use.' });
    expect(old.policy).toMatchObject({ status: 'unknown', state: 'valid' });
    expect(old.stages.flatMap(({ met }) => met)).toEqual([]);
    expect(old.release).toMatchObject({ readiness: { status: 'expired' } });
    env.github.faults.clear();
    env.clock.advance(MINUTE_MS);
    await env.hurry();
    expect((await read('v1.1.0')).verification).toEqual({ status: 'verified', reason: null });
  });

  it('is hidden from users who cannot read its repository, and from other workspaces', async () => {
    secret.milestone('v7.0.0');
    await env.waitUntilIdle();
    const [row] = await env.asSuperuser<{ id: string }>(`select id from release where version = 'v7.0.0'`);
    const otto = await signIn(env, env.github.createUser({ login: 'otto' }));
    const requestsForPrivate = (): number => env.exchanges.filter(({ path }) => path.includes('/hushed/')).length;
    const callsBefore = requestsForPrivate();
    for (const id of [row?.id ?? '', randomUUID()]) {
      for (const query of ['', '?look=stored']) {
        expect([query, (await otto.get(`/api/milestones/${id}${query}`)).status]).toEqual([query, 404]);
      }
      for (const action of ['start', 'refresh', 'evidence-pr']) {
        expect([action, (await otto.send('POST', `/api/milestones/${id}/${action}`)).status]).toEqual([action, 404]);
      }
    }
    expect(requestsForPrivate()).toBe(callsBefore);
    const elsewhere = env.github.createOrganization({ login: 'elsewhere' });
    await env.install(elsewhere);
    const sam = await signIn(env, env.github.createUser({ login: 'sam' }), { role: 'admin', organization: elsewhere });
    for (const query of ['', '?look=stored']) {
      expect((await sam.get(`/api/milestones/${await scenario.id('v1.1.0')}${query}`)).status).toBe(404);
      expect((await mia.get(`/api/milestones/no-uuid${query}`)).status).toBe(404);
    }
  });
});

describe('a refresh of a release', () => {
  it('is done by a job, once for all requests', async () => {
    env.outbox.faults.next({ kind: 'lose', event: 'issues', times: 2 });
    scenario.issue('Lost again', scenario.repository.milestones.findByTitle('v1.1.0') ?? null);
    await env.waitUntilIdle();
    env.clock.advance(MOMENT_MS);
    const id = await scenario.id('v1.1.0');
    const { status, body } = await mia.send('POST', `/api/milestones/${id}/refresh`);
    expect([status, body]).toEqual([202, { milestoneId: id, status: 'running' }]);
    await env.waitUntilIdle();
    expect(await scenario.known('v1.1.0')).toHaveLength(3);
  });

  it('is rejected while the app does not reach the repository', async () => {
    await env.asSuperuser(`update organization set suspended_at = now() where login = 'acme'`);
    const id = await scenario.id('v1.1.0');
    expect((await mia.send('POST', `/api/milestones/${id}/refresh`)).status).toBe(409);
    expect((await read('v1.1.0')).verification).toEqual({
      status: 'unknown',
      reason: 'The app is not installed for the organization, or suspended.',
    });
    await env.asSuperuser(`update organization set suspended_at = null where login = 'acme'`);
  });
});

describe('the start of a release', () => {
  const start = async (version: string, by = mia) =>
    by.send('POST', `/api/milestones/${await scenario.id(version)}/start`);

  it('is recorded once with its user in the stage log and the audit log, and changes no gate', async () => {
    const milestone = scenario.milestone('v3.0.0');
    scenario.repository.issues.assign(scenario.issue('Begin', milestone), mia.user);
    await env.waitUntilIdle();
    const { status, body } = await start('v3.0.0');
    expect([status, body]).toMatchObject([200, { version: 'v3.0.0', stage: 'DEVELOPMENT' }]);
    const rob = await scenario.member('rob', 'read');
    expect(await start('v3.0.0', rob)).toMatchObject({ status: 200, body: { stage: 'DEVELOPMENT' } });
    await env.waitUntilIdle();
    const { transitions, stages } = await read('v3.0.0');
    expect(transitions.at(-1)).toMatchObject({ from: 'PLANNING', to: 'DEVELOPMENT', cause: 'start', actor: 'mia' });
    expect(stages[0]?.met[0]).toEqual({ code: 'started', detail: 'The release was started.' });
    expect(
      await env.asSuperuser(`select actor ->> 'login' as by from audit_entry where action = 'release.started'`),
    ).toEqual([{ by: 'mia' }]);
    expect((await scenario.gate('v3.0.0')).can_deploy).toBe(false);
  });

  it('is rejected for a cancelled, shipped or deleted release', async () => {
    const milestone = scenario.milestone('v3.1.0');
    await env.waitUntilIdle();
    scenario.repository.milestones.close(milestone);
    await env.waitUntilIdle();
    expect((await start('v3.1.0')).status).toBe(409);
    expect((await start('v1.0.0')).status).toBe(409);
    const id = await scenario.id('v3.1.0');
    scenario.repository.milestones.delete(milestone);
    await env.waitUntilIdle();
    expect((await mia.send('POST', `/api/milestones/${id}/start`)).status).toBe(404);
    expect((await mia.get(`/api/milestones/${id}`)).status).toBe(404);
  });
});

describe('the failed tests of a release', () => {
  const junit = (outcomes: Readonly<Record<string, string>>): object => ({
    files: [
      {
        filename: 'junit.xml',
        content: `<testsuite name="till">${Object.entries(outcomes)
          .map(([name, inside]) => `<testcase classname="Cart" name="${name}">${inside}</testcase>`)
          .join('')}</testsuite>`,
      },
    ],
  });

  it('are listed with the reason, the history by earlier uploads and the run, where the gate reason names them', async () => {
    const tested = new ScopeScenario(env, { name: 'tested' });
    tested.repository.changeVisibility('public');
    const failed = (message: string): string => `<failure>${message}</failure>`;
    const runs = [
      ['v1.0.0', { adds: '', pays: '', one: '' }],
      ['v1.1.0', { adds: failed('no sum'), pays: '' }],
      [
        'v1.2.0',
        { adds: failed('3 is not 4'), pays: failed('got 500'), waits: failed(''), more: failed('last'), one: '' },
      ],
    ] as const;
    let last = tested.run(tested.head());
    const begun = env.clock.now();
    for (const [version, outcomes] of runs) {
      tested.milestone(version);
      const sha = tested.commit();
      await env.waitUntilIdle();
      last = tested.run(sha);
      expect((await last.upload(version, junit(outcomes))).status).toBe(201);
      await env.waitUntilIdle();
    }
    const { status, body } = await mia.get(`/api/milestones/${await tested.id('v1.2.0')}`);
    const { reasons, stages } = body as unknown as Details;
    const days = [begun, env.clock.now()].map((at) => at.toISOString().slice(0, 10));
    const repoUrl = tested.repository.htmlUrl;
    const fresh = { failingSince: null, lastPassedIn: null };
    expect([status, reasons]).toMatchObject([
      200,
      [
        {
          code: 'evidence_failing',
          closesGate: true,
          failedTests: {
            count: 4,
            runUrl: expect.stringContaining(`${repoUrl}/actions/runs/`),
            tests: [
              {
                name: 'till › Cart › adds',
                message: '3 is not 4',
                history: {
                  failingSince: {
                    day: expect.stringMatching(days.join('|')),
                    runUrl: expect.stringContaining(`${repoUrl}/actions/runs/`),
                  },
                  lastPassedIn: 'v1.0.0',
                },
              },
              { name: 'till › Cart › pays', message: 'got 500', history: { ...fresh, lastPassedIn: 'v1.1.0' } },
              { name: 'till › Cart › waits', message: null, history: fresh },
            ],
          },
        },
      ],
    ]);
    const isClosing = stages.flatMap(({ unmet }) => unmet).map(({ code, closesGate }) => [code, closesGate]);
    expect(isClosing).toEqual([
      ['evidence_failing', true],
      ['not_deployed', false],
    ]);
  });
});
