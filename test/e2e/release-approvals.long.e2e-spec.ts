import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Team } from '../github-sim/state/team.js';
import { TestEnvironment } from '../support/test-environment.js';
import { type UserSession, signIn } from '../support/user-session.js';
import { codesOf, RepositoryScenario } from './scenarios/repository-scenario.js';

const MINUTE_MS = 60_000;
const VERSION = 'v1.0.0';
const POLICY = `version: v1
stages:
  evidencing:
    required_evidence: [{ kind: unit_tests }]
    required_reviewers: { min_approvals: 2, teams: [release-managers], exclude_release_authors: true }
`;

interface ReviewJson {
  readonly login: string;
  readonly counts: boolean;
  readonly reason: string | null;
}
interface Details {
  readonly approvals: {
    readonly given: number;
    readonly reviews: readonly ReviewJson[];
    readonly eligible: { readonly users: readonly { readonly login: string }[] | null };
  };
  readonly viewer: Readonly<Record<string, unknown>>;
}

let env: TestEnvironment;
let repo: RepositoryScenario;
let secret: RepositoryScenario;
let managers: Team;
/** Can approve. */
let mara: UserSession;
let bob: UserSession;
/** The author of the release. */
let ada: UserSession;
let rob: UserSession;
let tess: UserSession;

beforeAll(async () => {
  env = await TestEnvironment.start({ BILLING: 'off' });
  managers = env.github.createTeam(env.organization, 'release managers');
  repo = new RepositoryScenario(env, { name: 'ledger', sdlc: POLICY });
  repo.repository.changeVisibility('public');
  secret = new RepositoryScenario(env, { name: 'hushed' });
  const users = ['mara', 'bob', 'ada'].map((login) => repo.createCollaborator(login));
  for (const user of users) managers.addMember(user);
  const reader = repo.createCollaborator('rob', 'read');
  const triager = repo.createCollaborator('tess', 'read');
  repo.repository.setCollaborator(triager, 'triage');
  await env.install();
  const [maraUser, bobUser, adaUser] = users;
  if (!maraUser || !bobUser || !adaUser) throw new Error('three users were created');
  repo.milestone(VERSION);
  const sha = repo.commit({ author: adaUser });
  await env.waitUntilIdle();
  await repo.test(VERSION, sha);
  mara = await signIn(env, maraUser);
  bob = await signIn(env, bobUser);
  ada = await signIn(env, adaUser);
  rob = await signIn(env, reader);
  tess = await signIn(env, triager);
}, 60_000);
afterAll(() => env.stop());
afterEach(() => {
  env.github.faults.clear();
  expect(env.violations).toEqual([]);
});

async function idOf(scenario: RepositoryScenario, version = VERSION): Promise<string> {
  const [row] = await env.asSuperuser<{ readonly id: string }>(
    `select r.id from release r join repository p on p.id = r.repository_id
     where p.github_id = ${scenario.repository.id} and r.version = '${version}'`,
  );
  return row?.id ?? '';
}

async function read(by: UserSession, query = ''): Promise<Details> {
  const { status, body } = await by.get(`/api/milestones/${await idOf(repo)}${query}`);
  expect([query, status, body]).toEqual([query, 200, body]);
  return body as unknown as Details;
}
const counted = ({ approvals }: Details): readonly (readonly [string, boolean, string | null])[] =>
  approvals.reviews.map(({ login, counts, reason }) => [login, counts, reason]);
const eligible = ({ approvals }: Details): readonly string[] | undefined =>
  approvals.eligible.users?.map(({ login }) => login);

describe('the viewer of a release', () => {
  it('learns whether they may change its scope and approve it', async () => {
    expect((await read(mara)).viewer).toEqual({
      permission: 'write',
      canChangeScope: 'yes',
      eligibility: { status: 'eligible', login: 'mara', reason: 'mara may approve this release.' },
    });
    expect((await read(ada)).viewer).toMatchObject({
      permission: 'write',
      eligibility: { status: 'ineligible', reason: 'ada wrote a commit of this release.' },
    });
    expect((await read(tess)).viewer).toMatchObject({
      permission: 'triage',
      canChangeScope: 'yes',
      eligibility: { status: 'ineligible', reason: 'tess has no write access to the repository.' },
    });
    expect((await read(rob)).viewer).toMatchObject({
      permission: 'read',
      canChangeScope: 'no',
      eligibility: { status: 'ineligible' },
    });
  });

  it('has an unknown permission while it was not read, and never a wrong one', async () => {
    env.clock.advance(5 * MINUTE_MS + 1_000);
    const stored = await read(rob, '?look=stored');
    expect(stored.viewer).toMatchObject({
      permission: 'unknown',
      canChangeScope: 'unknown',
      eligibility: { status: 'unknown' },
    });
    env.github.faults.next({ kind: '5xx', match: /\/collaborators\//, times: 1_000 });
    expect((await read(rob)).viewer).toMatchObject({ permission: 'unknown', canChangeScope: 'unknown' });
    env.github.faults.clear();
    env.clock.advance(MINUTE_MS);
    await env.hurry();
    expect((await read(rob)).viewer).toMatchObject({ permission: 'read', canChangeScope: 'no' });
  });
});

describe('the approvals of a release', () => {
  it('show what is required, and who can approve', async () => {
    for (const by of [mara, bob, ada, rob]) await read(by);
    const details = await read(mara);
    expect(details.approvals).toMatchObject({
      status: 'current',
      reason: null,
      observedAt: expect.any(String),
      required: 2,
      given: 0,
      reviews: [],
      eligible: { teams: ['release-managers'] },
    });
    expect(details.approvals.eligible.users).toEqual([
      { login: 'bob', avatarUrl: expect.stringContaining('http') },
      { login: 'mara', avatarUrl: expect.stringContaining('http') },
    ]);
  });

  it('show for each review whether it counts and why not, like the gate', async () => {
    for (const by of [mara, ada, rob]) repo.approve(VERSION, by.user);
    await env.waitUntilIdle();
    for (const by of [bob, mara]) await read(by);
    const details = await read(rob);
    expect(new Map(counted(details).map(([login, ...rest]) => [login, rest]))).toEqual(
      new Map([
        ['mara', [true, null]],
        ['ada', [false, 'ada wrote a commit of this release.']],
        ['rob', [false, 'rob has no write access to the repository.']],
      ]),
    );
    expect(details.approvals).toMatchObject({
      status: 'current',
      required: 2,
      given: 1,
      reviews: expect.arrayContaining([
        {
          userId: mara.user.id,
          login: 'mara',
          avatarUrl: expect.stringContaining('http'),
          state: 'approved',
          commitSha: repo.evidencePull(VERSION).headSha,
          submittedAt: expect.stringMatching(/^\d{4}-.*Z$/),
          counts: true,
          reason: null,
        },
      ]),
    });
    // A user whose approval already counts is not listed.
    expect(eligible(details)).toEqual(['bob']);
    const answer = await repo.gate(VERSION, { explain: 'true' });
    expect(codesOf(answer)).toEqual(['approvals_missing']);
    expect(answer.reasons?.[0]).toMatchObject({ detail: expect.stringMatching(/^1 of 2 approvals given/) });
  });

  it('are unknown when their facts are stale, with the last values', async () => {
    env.clock.advance(21 * MINUTE_MS);
    const { approvals } = await read(rob, '?look=stored');
    expect(approvals).toMatchObject({
      status: 'unknown',
      reason: 'The last read from GitHub is too old to use.',
      required: 2,
      given: 1,
      eligible: { users: null },
    });
    expect((await read(rob)).approvals).toMatchObject({ status: 'current', given: 1 });
  });

  it('end with new evidence, and come back with a new review', async () => {
    await repo.test(VERSION, repo.head(), 7);
    const details = await read(bob);
    expect(details.approvals.given).toBe(0);
    expect(new Map(counted(details).map(([login, , reason]) => [login, reason])).get('mara')).toBe(
      'It was given for another commit of the evidence pull request.',
    );
    for (const by of [mara, bob]) repo.approve(VERSION, by.user);
    await env.waitUntilIdle();
    expect((await read(bob)).approvals).toMatchObject({ given: 2 });
  });

  it('are those with which the release shipped', async () => {
    await repo.deploy(repo.head());
    const details = await read(tess);
    expect(details.approvals).toMatchObject({
      status: 'current',
      required: null,
      given: 2,
      eligible: { users: [] },
    });
    expect(
      counted(details)
        .filter(([, counts]) => counts)
        .map(([login]) => login)
        .toSorted(),
    ).toEqual(['bob', 'mara']);
    expect(details.viewer).toMatchObject({
      canChangeScope: 'no',
      eligibility: { status: 'ineligible', reason: 'v1.0.0 is shipped: its evidence can no longer be reviewed.' },
    });
  });

  it('do not exist before there is an evidence pull request', async () => {
    repo.milestone('v2.0.0');
    await env.waitUntilIdle();
    const { body } = await mara.get(`/api/milestones/${await idOf(repo, 'v2.0.0')}`);
    expect(body).toMatchObject({
      approvals: {
        status: 'unknown',
        reason: 'There is no evidence pull request yet.',
        required: 2,
        given: 0,
        reviews: [],
        eligible: { teams: ['release-managers'] },
      },
      viewer: { eligibility: { status: 'ineligible', reason: 'There is no evidence pull request to approve yet.' } },
    });
  });

  it('are hidden with the release from users who cannot read it, and from other workspaces', async () => {
    await secret.evidencing('v7.0.0');
    const elsewhere = env.github.createOrganization({ login: 'elsewhere' });
    await env.install(elsewhere);
    const sam = await signIn(env, env.github.createUser({ login: 'sam' }), { role: 'admin', organization: elsewhere });
    const id = await idOf(secret, 'v7.0.0');
    const permissionsBefore = env.exchanges.filter(({ path }) => path.includes('/hushed/collaborators/mara')).length;
    for (const query of ['', '?look=stored']) {
      expect((await mara.get(`/api/milestones/${id}${query}`)).status).toBe(404);
      expect((await sam.get(`/api/milestones/${await idOf(repo)}${query}`)).status).toBe(404);
    }
    expect(env.exchanges.filter(({ path }) => path.includes('/hushed/collaborators/mara'))).toHaveLength(
      permissionsBefore,
    );
  });
});
