import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { OrgId } from '../../src/database/ids.js';
import type { ReleaseSummaryDto } from '../../src/features/releases/lists/release-list.dto.js';
import { WorkspaceRows } from '../support/workspace-rows.js';
import { type UserSession, signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';

type Summary = {
  readonly [K in keyof ReleaseSummaryDto]: ReleaseSummaryDto[K] extends Date ? string : ReleaseSummaryDto[K];
};
interface Body {
  readonly releases: readonly Summary[];
  readonly milestones: readonly Summary[];
  readonly counts: Readonly<Record<string, number>>;
  readonly pagination?: Readonly<Record<string, number>>;
}

const MINUTE_MS = 60_000;

let env: TestEnvironment;
let orgId: OrgId;
let open: RepositoryScenario;
let secret: RepositoryScenario;
/** Can read `secret` too. */
let reader: UserSession;
let outsider: UserSession;

beforeAll(async () => {
  env = await TestEnvironment.start();
  open = new RepositoryScenario(env, { name: 'payments' });
  open.repository.changeVisibility('public');
  secret = new RepositoryScenario(env, { name: 'hushed' });
  orgId = await env.install();
  reader = await signIn(env, env.github.createUser({ login: 'rhea' }));
  outsider = await signIn(env, env.github.createUser({ login: 'otto' }));
  await env.asSuperuser(
    `insert into repository_access (org_id, person, repository_github_id)
     values ('${orgId}', ${reader.user.id}, ${secret.repository.id})`,
  );
});
afterAll(() => env.stop());
afterEach(() => expect(env.violations).toEqual([]));

const read = async (path: string, by = reader): Promise<Body> => {
  const { status, body } = await by.get(path);
  expect([path, status]).toEqual([path, 200]);
  return body as unknown as Body;
};
const versionsOf = (summaries: readonly Summary[]): readonly string[] => summaries.map(({ version }) => version);

describe('releases of a private repository', () => {
  it('are neither listed nor counted for users who cannot read it', async () => {
    secret.milestone('v7.0.0');
    await env.waitUntilIdle();
    for (const query of ['search=v7', 'search=hushed', 'search=v7&page=1', 'search=acme/hus&pageSize=10']) {
      const path = `/api/dashboard?${query}`;
      expect([query, versionsOf((await read(path)).releases), (await read(path)).counts['all']]).toEqual([
        query,
        ['v7.0.0'],
        1,
      ]);
      expect([query, (await read(path, outsider)).releases, (await read(path, outsider)).counts['all']]).toEqual([
        query,
        [],
        0,
      ]);
    }
    expect(versionsOf((await read('/api/milestones/ACME/Hushed')).milestones)).toEqual(['v7.0.0']);
    expect((await outsider.get('/api/milestones/acme/hushed')).status).toBe(404);
    expect((await outsider.get('/api/milestones/acme/hushed?page=1')).status).toBe(404);
  });
});

describe('a release on the dashboard', () => {
  it('shows its state at each stage, and disappears when it is deployed', async () => {
    const only = async (): Promise<Summary> => {
      const { releases, counts } = await read('/api/dashboard?search=v1.0.0&page=1');
      const [summary] = releases;
      if (!summary || releases.length > 1) throw new Error(`there are ${releases.length} releases`);
      expect(counts).toMatchObject({ all: 1, [String(summary.outcome)]: 1 });
      return summary;
    };
    const issue = open.repository.issues.create({ title: 'Round up', milestone: open.milestone('v1.0.0') });
    await env.waitUntilIdle();
    expect(await only()).toMatchObject({
      org: 'acme',
      repoId: await open.repositoryId(),
      repo: 'payments',
      repoUrl: `${env.github.url}/acme/payments`,
      candidateSha: null,
      candidateUrl: null,
      title: 'v1.0.0',
      stage: 'PLANNING',
      outcome: 'in_progress',
      blockers: [{ code: 'not_started', actor: 'team', users: [] }],
      issues: { open: 1, closed: 0 },
      readiness: { status: 'not_ready' },
      evidencePrNumber: null,
      deployedAt: null,
      cancelledAt: null,
    });
    open.repository.issues.close(issue);
    const sha = open.commit();
    await env.waitUntilIdle();
    await open.test('v1.0.0', sha);
    const { number, url } = { number: open.evidencePull('v1.0.0').number, url: expect.stringContaining('/pull/') };
    expect(await only()).toMatchObject({
      stage: 'EVIDENCING',
      outcome: 'needs_approval',
      blockers: [expect.objectContaining({ code: 'approvals_missing', actor: 'reviewer' })],
      issues: { open: 0, closed: 1 },
      evidencePrNumber: number,
      evidencePrUrl: url,
      candidateSha: sha,
      candidateUrl: `${env.github.url}/acme/payments/commit/${sha}`,
    });
    open.approve('v1.0.0');
    await env.waitUntilIdle();
    expect(await only()).toMatchObject({
      stage: 'DEPLOYMENT',
      outcome: 'ready_to_deploy',
      blockers: [],
      moreBlockers: 0,
      readiness: { status: 'ready' },
    });
    await open.deploy(sha);
    expect((await read('/api/dashboard?search=v1.0.0')).releases).toEqual([]);
    const { milestones } = await read('/api/milestones/acme/payments?search=v1.0.0');
    expect(milestones).toMatchObject([{ stage: 'DEPLOYED', outcome: null, deployedAt: expect.any(String) }]);
  });

  it('is not ready if a fact has expired, and is refreshed after it was read', async () => {
    await open.approved('v1.1.0');
    const path = '/api/dashboard?search=v1.1.0&pageSize=10';
    const ready = await read(path);
    expect(ready.counts).toMatchObject({ ready_to_deploy: 1 });
    expect(ready.releases).toMatchObject([{ readiness: { status: 'ready', validUntil: expect.any(String) } }]);
    const validUntil = Date.parse(String(ready.releases[0]?.readiness.validUntil));
    expect(validUntil).toBeGreaterThan(env.clock.now().getTime());
    expect(validUntil).toBeLessThanOrEqual(env.clock.now().getTime() + 5 * MINUTE_MS);
    env.clock.advance(5 * MINUTE_MS + 1_000);
    expect(validUntil).toBeLessThan(env.clock.now().getTime());
    const before = env.exchanges.length;
    const { releases, counts } = await read(path);
    expect(counts).toMatchObject({ all: 1, ready_to_deploy: 0, in_progress: 1 });
    expect(releases).toMatchObject([
      {
        outcome: 'in_progress',
        readiness: { status: 'expired', validUntil: ready.releases[0]?.readiness.validUntil },
        blockers: [{ code: 'facts_stale', actor: 'service' }],
      },
    ]);
    await env.waitUntilIdle();
    expect(env.exchanges.length).toBeGreaterThan(before);
    expect((await read(path)).counts).toMatchObject({ ready_to_deploy: 1 });
    const callsBefore = env.exchanges.length;
    await read(path);
    await env.waitUntilIdle();
    expect(env.exchanges.length).toBe(callsBefore);
    // The first read after the facts expired, because each read enqueues a refresh.
    env.clock.advance(5 * MINUTE_MS + 1_000);
    expect((await read('/api/milestones/acme/payments?search=v1.1.0')).milestones).toMatchObject([
      { outcome: 'in_progress', readiness: { status: 'expired' } },
    ]);
    await env.waitUntilIdle();
  });

  it('is blocked by a condition that a user must fix, and by a freeze', async () => {
    const sha = open.commit();
    open.milestone('v1.2.0');
    await env.waitUntilIdle();
    await open.run(sha).uploadTests('v1.2.0', 3, 1);
    await env.waitUntilIdle();
    const [red] = (await read('/api/dashboard?search=v1.2.0')).releases;
    expect(red).toMatchObject({ outcome: 'blocked', blockers: [{ code: 'evidence_failing' }] });
    const frozen = new RepositoryScenario(env, {
      name: 'ledger',
      sdlc: `version: v1\nfreezes: [{ from: 2000-01-01, to: 2999-12-31, reason: no more ledgers }]\n`,
    });
    frozen.repository.changeVisibility('public');
    await env.resync();
    frozen.milestone('v3.0.0');
    await env.waitUntilIdle();
    const { releases, counts } = await read('/api/dashboard?search=LEDGER&outcome=blocked&page=1');
    expect(counts).toMatchObject({ all: 1, blocked: 1 });
    expect(releases[0]?.blockers[0]).toEqual({
      code: 'freeze',
      detail: 'Deployments are frozen from 2000-01-01 to 2999-12-31: no more ledgers.',
      actor: 'admin',
      users: [],
    });
  });

  it('names the users who can unblock it, with the avatars of those who signed in', async () => {
    const scenario = new RepositoryScenario(env, {
      name: 'people',
      sdlc: `version: v1\nstages: { development: { require_issues_closed: true } }\n`,
    });
    scenario.repository.changeVisibility('public');
    await env.resync();
    const [known, unknown] = [reader.user, env.github.createUser({ login: 'stranger' })];
    const sha = scenario.commit();
    const milestone = scenario.milestone('v1.0.0');
    scenario.repository.issues.create({ title: 'Pay', milestone, assignees: [known, unknown] });
    await env.waitUntilIdle();
    await scenario.test('v1.0.0', sha);
    await env.waitUntilIdle();
    const [release] = (await read('/api/dashboard?search=people')).releases;
    // The limit of the plan blocks it, too.
    expect(release?.blockers.find(({ code }) => code === 'issue_open')).toMatchObject({
      users: [
        { login: known.login, avatarUrl: expect.stringContaining('http') },
        { login: unknown.login, avatarUrl: null },
      ],
    });
  });
});

describe('the lists', () => {
  const NAMES = [
    'start',
    'refresh',
    'evidence-pr',
    'check',
    'evidence',
    'audit-pack',
    'decisions',
    'waivers',
    'break-glass',
    'scope',
  ];
  let rows: WorkspaceRows;

  beforeAll(async () => {
    rows = new WorkspaceRows(env.database, orgId, 1_000_000);
    const many = await rows.repository('many');
    for (let at = 0; at < 60; at += 1) {
      await rows.release({
        repositoryId: many,
        version: `v9.${at}.0`,
        stage: at % 3 === 0 ? 'EVIDENCING' : 'TESTING',
        blocked: at % 5 === 0,
        // So that no job evaluates it meanwhile.
        validUntil: 'infinity',
        // Two releases at each time.
        updatedAt: `2026-03-01T00:${String(Math.floor(at / 2)).padStart(2, '0')}:00Z`,
      });
    }
    for (const name of NAMES) {
      await rows.release({ repositoryId: await rows.repository(name), version: 'v1.0.0', validUntil: 'infinity' });
    }
  });

  it.each([
    ['/api/dashboard?search=v9.', 'releases'],
    ['/api/dashboard?search=v9.&outcome=blocked', 'releases'],
    ['/api/milestones/acme/many?search=v9', 'milestones'],
    ['/api/milestones/acme/many?search=.1', 'milestones'],
  ] as const)('of %s are returned whole, and in pages with the same order', async (path, name) => {
    const whole = (await read(path))[name].map(({ milestoneId }) => milestoneId);
    expect(new Set(whole).size).toBe(whole.length);
    for (const pageSize of [10, 25, 50]) {
      const pages = Math.ceil(whole.length / pageSize);
      const paged: string[] = [];
      for (let page = 1; page <= pages; page += 1) {
        const body = await read(`${path}&page=${page}&pageSize=${pageSize}`);
        expect(body.pagination).toEqual({ page, pageSize, total: whole.length, pages });
        paged.push(...body[name].map(({ milestoneId }) => milestoneId));
      }
      expect(paged).toEqual(whole);
      const beyond = await read(`${path}&page=${pages + 1}&pageSize=${pageSize}`);
      expect([beyond[name], beyond.pagination?.['total']]).toEqual([[], whole.length]);
    }
  });

  it('count every outcome of the matching releases, whatever the outcome and the page', async () => {
    const counts = { all: 60, blocked: 12, needs_approval: 16, ready_to_deploy: 0, in_progress: 32 };
    for (const query of ['', '&page=1', '&page=9', '&outcome=blocked', '&outcome=needs_approval&page=2&pageSize=10']) {
      expect([query, (await read(`/api/dashboard?search=v9.${query}`)).counts]).toEqual([query, counts]);
    }
    const blocked = await read('/api/dashboard?search=v9.&outcome=blocked&page=1&pageSize=10');
    expect([blocked.releases.length, blocked.pagination]).toEqual([10, { page: 1, pageSize: 10, total: 12, pages: 2 }]);
    expect(blocked.releases.every(({ outcome }) => outcome === 'blocked')).toBe(true);
  });

  it('show the latest change first', async () => {
    const { releases } = await read('/api/dashboard?search=v9.');
    const times = releases.map(({ updatedAt }) => updatedAt);
    expect(times).toEqual(times.toSorted().toReversed());
  });

  it('do not change their order when unrelated rows are written', async () => {
    const path = '/api/dashboard?search=v9.&page=2&pageSize=25';
    const before = versionsOf((await read(path)).releases);
    await rows.write(`update release set candidate_sha = version, open_until = now() where version like 'v9.%'`);
    expect(versionsOf((await read(path)).releases)).toEqual(before);
  });

  it.each(NAMES)('find a repository whose name is part of another path: %s', async (name) => {
    expect(versionsOf((await read(`/api/milestones/acme/${name}`)).milestones)).toEqual(['v1.0.0']);
  });

  it('are empty if nothing matches', async () => {
    const empty = { all: 0, blocked: 0, needs_approval: 0, ready_to_deploy: 0, in_progress: 0 };
    expect(await read('/api/dashboard?search=nothing')).toEqual({ releases: [], counts: empty });
    expect(await read('/api/dashboard?search=nothing&page=1')).toEqual({
      releases: [],
      counts: empty,
      pagination: { page: 1, pageSize: 25, total: 0, pages: 1 },
    });
    expect(await read('/api/milestones/acme/many?search=nothing')).toEqual({ milestones: [] });
  });

  it.each(['acme/nothing', 'nobody/many', 'acme/ma%25y', 'acme/..', 'acme/%00', "acme/'"])(
    'find no repository %s',
    async (name) => {
      expect([400, 404]).toContain((await reader.get(`/api/milestones/${name}`)).status);
    },
  );
});
