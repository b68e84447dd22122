import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { OrgId } from '../../src/database/ids.js';
import type { PendingReviewDto } from '../../src/features/reviews/reviews.dto.js';
import type { Team } from '../github-sim/state/team.js';
import { type UserSession, signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';

type Review = Omit<PendingReviewDto, 'updatedAt' | 'waitingSince'> &
  Readonly<Record<'updatedAt' | 'waitingSince', string>>;
interface Body {
  readonly reviews: readonly Review[];
  readonly workspaceTotal?: number;
  readonly unknown?: number;
  readonly pagination?: Readonly<Record<string, number>>;
}

const MINUTE_MS = 60_000;
/** How long a live response waits for GitHub. */
const DEADLINE_MS = 3_000;
/** The calls that read the eligibility of a user. */
const PERSONAL = /\/collaborators\/|\/teams\/|\/pulls\/\d+$/;
const TEAM_POLICY = `version: v1
stages:
  evidencing:
    required_evidence: [{ kind: unit_tests }]
    required_reviewers: { min_approvals: 2, teams: [release-managers], exclude_release_authors: true }
  deployment: { target: live, promotion: auto }
`;

const realTimeout = AbortSignal.timeout.bind(AbortSignal);
/** The deadline of live reads here: long, because the machine may be slow, and short in the test with a silent GitHub. */
let patienceMs = 60_000;
let env: TestEnvironment;
let orgId: OrgId;
let plain: RepositoryScenario;
let strict: RepositoryScenario;
let secret: RepositoryScenario;
let managers: Team;
/** Can approve everywhere. */
let mara: UserSession;
/** The author of the release of `strict`. */
let ada: UserSession;
/** Can only read. */
let rob: UserSession;

beforeAll(async () => {
  jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => realTimeout(ms === DEADLINE_MS ? patienceMs : ms));
  env = await TestEnvironment.start({ BILLING: 'off' });
  managers = env.github.createTeam(env.organization, 'release managers');
  plain = new RepositoryScenario(env, { name: 'payments' });
  strict = new RepositoryScenario(env, { name: 'ledger', sdlc: TEAM_POLICY });
  const [reviewer, author, reader] = [
    plain.createCollaborator('mara'),
    strict.createCollaborator('ada'),
    plain.createCollaborator('rob', 'read'),
  ];
  for (const { repository } of [plain, strict]) {
    repository.changeVisibility('public');
    repository.setCollaborator(reviewer, 'write');
  }
  secret = new RepositoryScenario(env, { name: 'hushed' });
  for (const user of [reviewer, author]) managers.addMember(user);
  orgId = await env.install();
  await plain.evidencing('v1.0.0');
  strict.milestone('v2.0.0');
  const sha = strict.commit({ author });
  await env.waitUntilIdle();
  await strict.test('v2.0.0', sha);
  mara = await signIn(env, reviewer);
  ada = await signIn(env, author);
  rob = await signIn(env, reader);
}, 60_000);
afterAll(async () => {
  await env.stop();
  jest.restoreAllMocks();
});
afterEach(() => {
  env.github.faults.clear();
  expect(env.violations).toEqual([]);
});

const read = async (query: string, by: UserSession): Promise<Body> => {
  const { status, body } = await by.get(`/api/reviews/pending${query}`);
  expect([query, status, body]).toEqual([query, 200, body]);
  return body as unknown as Body;
};
const page = (by: UserSession, scope: string): Promise<Body> => read(`?page=1&scope=${scope}`, by);
const received = ({ reviews }: Body): readonly (readonly [string, string])[] =>
  reviews.map(({ version, eligibility }) => [version, eligibility.status]);
const idOf = async (version: string): Promise<string> => {
  const [row] = await env.asSuperuser<{ readonly id: string }>(
    `select id from release where version = '${version}' and deleted_at is null`,
  );
  return row?.id ?? '';
};
const detail = async (version: string, by: UserSession): Promise<Review> => {
  const { status, body } = await by.get(`/api/reviews/release/${await idOf(version)}`);
  expect([version, status, body]).toEqual([version, 200, body]);
  return body as unknown as Review;
};
/** Holds GitHub's answers about the eligibility of users. The returned function sends them. */
function holdPersonalReads(): () => void {
  let letThrough: () => void = () => undefined;
  const sent = new Promise<void>((resolve) => (letThrough = resolve));
  env.github.faults.next({ kind: 'hold', match: PERSONAL, times: 1_000, came: () => undefined, letThrough: sent });
  return () => {
    env.github.faults.clear();
    letThrough();
  };
}

const lastEvent = async (): Promise<string> => {
  const [row] = await env.asSuperuser<{ readonly last: string }>('select coalesce(max(id), 0) as last from event');
  return row?.last ?? '0';
};
/** The versions with an event about their reviews. */
const updatedSince = async (event: string): Promise<readonly string[]> => {
  const rows = await env.asSuperuser<{ readonly version: string }>(
    `select distinct r.version from event e join release r on r.id = e.release_id
     where e.type = 'review.updated' and e.id > ${event} order by 1`,
  );
  return rows.map(({ version }) => version);
};
const pullFacts = (scenario: RepositoryScenario, version: string) => ({
  evidencePrNumber: scenario.evidencePull(version).number,
  evidencePrUrl: expect.stringContaining(`/pull/${scenario.evidencePull(version).number}`),
});

describe('pages of pending reviews', () => {
  it('show no user as eligible before the user is known, and are updated afterwards', async () => {
    const before = await page(mara, 'mine');
    expect(before).toMatchObject({ reviews: [], workspaceTotal: 2, unknown: 2, pagination: { total: 0, pages: 1 } });
    await env.waitUntilIdle();
    const after = await page(mara, 'mine');
    expect(received(after)).toEqual([
      ['v2.0.0', 'eligible'],
      ['v1.0.0', 'eligible'],
    ]);
    expect(after).toMatchObject({ workspaceTotal: 2, unknown: 0, pagination: { total: 2, page: 1, pageSize: 25 } });
  });

  it('show for each review the requirements and the effect of an approval', async () => {
    const { reviews } = await page(mara, 'mine');
    expect(reviews[0]).toEqual({
      milestoneId: await idOf('v2.0.0'),
      org: 'acme',
      repoId: await strict.repositoryId(),
      repo: 'ledger',
      version: 'v2.0.0',
      ...pullFacts(strict, 'v2.0.0'),
      eligibility: { status: 'eligible', login: 'mara', reason: 'mara may approve this release.' },
      policy: {
        minApprovals: 2,
        teams: ['release-managers'],
        deploymentTarget: 'live',
        promotion: 'auto',
        requiresEvidenceApproval: true,
      },
      policyStatus: 'available',
      approvalEffects: { status: 'configured', summary: expect.stringContaining('starts the deployment to live') },
      reviewState: 'open',
      approvals: { required: 2, given: 0 },
      waitingSince: expect.stringMatching(/^\d{4}-.*Z$/),
      lostTests: null,
      milestoneUrl: expect.stringContaining('/milestone/'),
      updatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });

  it('show how many approvals count, and since when a review waits', async () => {
    const find = async (): Promise<Review | undefined> =>
      (await page(mara, 'workspace')).reviews.find(({ version }) => version === 'v2.0.0');
    const before = await find();
    const opened = await env.asSuperuser<{ at: Date }>(
      `select greatest(p.opened_at, max(t.at)) as at from evidence_pull_request p
       join stage_transition t on t.release_id = p.release_id and t.to_stage = 'EVIDENCING'
       where p.release_id = '${await idOf('v2.0.0')}' group by p.opened_at`,
    );
    expect(before?.waitingSince).toBe(opened[0]?.at.toISOString());
    const review = strict.approve('v2.0.0', mara.user);
    await env.waitUntilIdle();
    expect(await find()).toMatchObject({ approvals: { required: 2, given: 1 }, waitingSince: before?.waitingSince });
    strict.repository.pulls.reviews.dismiss(review);
    await env.waitUntilIdle();
    expect(await find()).toMatchObject({ approvals: { required: 2, given: 0 } });
  });

  it('include reviews in the workspace that the user cannot give', async () => {
    for (const by of [ada, rob]) await page(by, 'mine');
    await env.waitUntilIdle();
    expect(await page(ada, 'mine')).toMatchObject({ reviews: [], workspaceTotal: 2, unknown: 0 });
    const { reviews, pagination } = await page(ada, 'workspace');
    expect(pagination).toMatchObject({ total: 2 });
    expect(reviews.map(({ eligibility: { reason } }) => reason)).toEqual([
      'ada wrote a commit of this release.',
      'ada has no write access to the repository.',
    ]);
    expect(received(await page(rob, 'workspace'))).toEqual([
      ['v2.0.0', 'ineligible'],
      ['v1.0.0', 'ineligible'],
    ]);
  });

  it('are filtered by eligibility, from the workspace if no scope is sent, and by version and repository', async () => {
    const found = async (query: string, by = mara): Promise<unknown> => {
      const body = await read(`?page=1&${query}`, by);
      return [
        received(body).map(([version]) => version),
        body.pagination?.['total'],
        body.workspaceTotal,
        body.unknown,
      ];
    };
    expect(await found('eligibility=eligible')).toEqual([['v2.0.0', 'v1.0.0'], 2, 2, 0]);
    expect(await found('eligibility=ineligible')).toEqual([[], 0, 2, 0]);
    expect(await found('eligibility=ineligible', rob)).toEqual([['v2.0.0', 'v1.0.0'], 2, 2, 0]);
    expect(await found('scope=mine&eligibility=ineligible', rob)).toEqual([[], 0, 2, 0]);
    expect(await found('search=LEDG')).toEqual([['v2.0.0'], 1, 1, 0]);
    expect(await found('search=ledger%20v2')).toEqual([['v2.0.0'], 1, 1, 0]);
    expect(await found('search=ledger%20v1')).toEqual([[], 0, 0, 0]);
    expect(await found('search=acme/pay&eligibility=ineligible', rob)).toEqual([['v1.0.0'], 1, 1, 0]);
    expect(await found('search=v2.&scope=mine', rob)).toEqual([[], 0, 1, 0]);
    for (const query of ['eligibility=mine', 'eligibility=', 'search=', `search=${'x'.repeat(201)}`])
      for (const shape of ['', 'page=1&'])
        expect([query, (await mara.get(`/api/reviews/pending?${shape}${query}`)).status]).toEqual([query, 400]);
  });

  it('show no user as eligible by a fact that expired a second ago, and have it refreshed', async () => {
    env.clock.advance(5 * MINUTE_MS + 1_000);
    const since = await lastEvent();
    const letGitHubAnswer = holdPersonalReads();
    expect(await page(mara, 'mine')).toMatchObject({ reviews: [], workspaceTotal: 2, unknown: 2 });
    const { reviews } = await page(mara, 'workspace');
    expect(reviews.map(({ eligibility }) => eligibility.status)).toEqual(['unknown', 'unknown']);
    letGitHubAnswer();
    await env.waitUntilIdle();
    expect(received(await page(mara, 'mine'))).toHaveLength(2);
    expect(await updatedSince(since)).toEqual(['v1.0.0', 'v2.0.0']);
    const callsBefore = env.exchanges.length;
    await page(mara, 'mine');
    await env.waitUntilIdle();
    expect(env.exchanges.length).toBe(callsBefore);
  });

  it('show for an expired fact the time when it was read', async () => {
    await env.asSuperuser(
      `update observation set observed_at = observed_at - interval '6 minutes' where kind = 'permission' and key = 'mara'`,
    );
    const letGitHubAnswer = holdPersonalReads();
    const { reviews } = await page(mara, 'workspace');
    letGitHubAnswer();
    const reason = 'The permission of mara in the repository was last read more than 5 minutes ago.';
    expect(reviews.map(({ eligibility }) => eligibility.reason)).toEqual([reason, reason]);
    expect(reviews.map(({ policyStatus }) => policyStatus)).toEqual(['available', 'available']);
    await env.waitUntilIdle();
    expect(received(await page(mara, 'mine'))).toHaveLength(2);
  });

  it('do not change while GitHub is unavailable, and are refreshed with the next request', async () => {
    env.clock.advance(5 * MINUTE_MS + 1_000);
    env.github.faults.next({ kind: '5xx', match: PERSONAL, times: 1_000 });
    expect(await page(mara, 'mine')).toMatchObject({ reviews: [], unknown: 2 });
    await env.waitUntilIdle();
    expect(await page(mara, 'mine')).toMatchObject({ reviews: [], unknown: 2 });
    env.github.faults.clear();
    env.clock.advance(MINUTE_MS);
    await env.waitUntilIdle();
    await page(mara, 'mine');
    await env.waitUntilIdle();
    expect(received(await page(mara, 'mine'))).toHaveLength(2);
  });
});

describe('a client that follows the workspace', () => {
  it('receives an event when the eligibility for a review changed', async () => {
    const since = await lastEvent();
    managers.removeMember(mara.user);
    await env.waitUntilIdle();
    expect(await updatedSince(since)).toEqual(['v2.0.0']);
    expect(received(await page(mara, 'mine'))).toEqual([['v1.0.0', 'eligible']]);
    managers.addMember(mara.user);
    await env.waitUntilIdle();
    expect(received(await page(mara, 'mine'))).toHaveLength(2);
  });
});

describe('the whole list of pending reviews', () => {
  it('is read from GitHub now, whatever the filter and the age of the page are', async () => {
    managers.members.delete(mara.user.id);
    expect(received(await page(mara, 'mine'))).toContainEqual(['v2.0.0', 'eligible']);
    for (const query of ['', '?scope=mine', '?scope=workspace']) {
      const whole = await read(query, mara);
      expect(Object.keys(whole)).toEqual(['reviews']);
      expect(received(whole)).toEqual([
        ['v2.0.0', 'ineligible'],
        ['v1.0.0', 'eligible'],
      ]);
    }
    expect(received(await read('?eligibility=ineligible', mara))).toEqual([['v2.0.0', 'ineligible']]);
    expect(received(await read('?search=PAYM', mara))).toEqual([['v1.0.0', 'eligible']]);
    expect(received(await page(mara, 'mine'))).toEqual([['v1.0.0', 'eligible']]);
    managers.members.set(mara.user.id, mara.user);
    expect(received(await read('', mara))).toContainEqual(['v2.0.0', 'eligible']);
  });

  it('omits reviews that GitHub reports as closed, and lists reopened ones again', async () => {
    const pull = plain.evidencePull('v1.0.0');
    plain.repository.pulls.close(pull);
    await env.waitUntilIdle();
    expect(received(await read('', mara))).toEqual([['v2.0.0', 'eligible']]);
    expect(await page(mara, 'workspace')).toMatchObject({ workspaceTotal: 1 });
    const closed = await detail('v1.0.0', mara);
    expect(closed).toMatchObject({ reviewState: 'closed', eligibility: { status: 'ineligible' } });
    plain.repository.pulls.reopen(pull);
    await env.waitUntilIdle();
    expect(received(await read('', mara))).toHaveLength(2);
  });

  it('is returned within seconds if GitHub does not answer, with no user eligible', async () => {
    env.github.faults.next({ kind: 'delay', ms: 1_000, match: PERSONAL, times: 1_000 });
    patienceMs = 100;
    const [whole, one] = await Promise.all([read('', mara), detail('v1.0.0', mara)]);
    patienceMs = 60_000;
    expect(whole.reviews).toHaveLength(2);
    for (const review of [...whole.reviews, one]) {
      expect(review.eligibility).toMatchObject({ status: 'unknown', login: 'mara' });
      expect(review.eligibility.reason).toMatch(/was not read from GitHub in time\.$/);
      expect(review.reviewState).toBe('unknown');
    }
  });
});

describe('the review of one release', () => {
  it('is read from GitHub with each request', async () => {
    expect(await detail('v2.0.0', mara)).toMatchObject({
      eligibility: { status: 'eligible', login: 'mara' },
      policyStatus: 'available',
      reviewState: 'open',
    });
    strict.repository.collaborators.delete(mara.user.id);
    const { eligibility } = await detail('v2.0.0', mara);
    expect(eligibility).toEqual({
      status: 'ineligible',
      login: 'mara',
      reason: 'mara has no write access to the repository.',
    });
    strict.repository.setCollaborator(mara.user, 'write');
    await env.waitUntilIdle();
  });

  it('reads the authors of the release again if they were read long ago', async () => {
    env.clock.advance(21 * MINUTE_MS);
    const byMara = await detail('v2.0.0', mara);
    expect(byMara.eligibility).toMatchObject({ status: 'eligible', login: 'mara' });
    const byAda = await detail('v2.0.0', ada);
    expect(byAda.eligibility).toMatchObject({ status: 'ineligible', reason: 'ada wrote a commit of this release.' });
    await env.waitUntilIdle();
  });

  it('exists before the pull request is opened and after it was merged', async () => {
    plain.milestone('v3.0.0');
    await env.waitUntilIdle();
    expect(await detail('v3.0.0', mara)).toMatchObject({
      evidencePrNumber: null,
      evidencePrUrl: null,
      reviewState: 'unknown',
      eligibility: { status: 'ineligible', reason: 'There is no evidence pull request to approve yet.' },
    });
    plain.approve('v1.0.0', mara.user);
    await env.waitUntilIdle();
    expect(received(await read('', mara))).toEqual([['v2.0.0', 'eligible']]);
    plain.repository.pulls.merge(plain.evidencePull('v1.0.0'));
    await env.waitUntilIdle();
    expect(await detail('v1.0.0', mara)).toMatchObject({
      reviewState: 'merged',
      eligibility: { status: 'ineligible' },
    });
  });

  it('is unknown if the policy is invalid', async () => {
    plain.repository.commit({ files: { 'sdlc.yaml': 'version: v9\n' } });
    await env.waitUntilIdle();
    expect(await detail('v3.0.0', mara)).toMatchObject({
      policy: null,
      policyStatus: 'unknown',
      approvalEffects: { status: 'unknown' },
    });
  });

  it('is not found for a private repository that the user cannot read, and for unknown ids', async () => {
    await secret.evidencing('v7.0.0');
    const id = await idOf('v7.0.0');
    const versions = async (query: string) => received(await read(query, mara)).map(([version]) => version);
    for (const query of ['', '?page=1&scope=workspace']) expect(await versions(query)).toEqual(['v2.0.0']);
    expect((await page(mara, 'workspace')).workspaceTotal).toBe(1);
    for (const unknown of [id, 'not-an-id', '00000000-0000-4000-8000-000000000000']) {
      expect([unknown, (await mara.get(`/api/reviews/release/${unknown}`)).status]).toEqual([unknown, 404]);
    }
    // A user whose access was just confirmed. The access of the others has expired meanwhile.
    const rhea = await signIn(env, env.github.createUser({ login: 'rhea' }));
    await env.asSuperuser(
      `insert into repository_access (org_id, person, repository_github_id)
       values ('${orgId}', ${rhea.user.id}, ${secret.repository.id})`,
    );
    expect((await page(rhea, 'workspace')).workspaceTotal).toBe(2);
    expect(received(await read('', rhea))).toContainEqual(['v7.0.0', 'ineligible']);
    expect((await rhea.get(`/api/reviews/release/${id}`)).status).toBe(200);
  });
});

describe('reviews that cannot be loaded', () => {
  it('return an error without details', async () => {
    await env.asSuperuser('alter table observation rename to hidden_observation');
    try {
      for (const query of ['', '?page=1']) {
        expect(await mara.get(`/api/reviews/pending${query}`)).toMatchObject({
          status: 500,
          body: { error: 'The reviews could not be loaded.' },
        });
      }
    } finally {
      await env.asSuperuser('alter table hidden_observation rename to observation');
    }
  });
});
