import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { givenUserToken } from '../support/given-user-token.js';
import { signIn, type UserSession } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { ScopeScenario, type ScopeBody } from './scenarios/scope-scenario.js';

const POLICY = 'version: v1\nstages:\n  planning: { require_issues: true, require_issues_assigned: true }\n';
const SAVED = { status: 200, body: { saved: true, synced: true } };

let env: TestEnvironment;
let scenario: ScopeScenario;
let tina: UserSession;

beforeAll(async () => {
  env = await TestEnvironment.start();
  scenario = new ScopeScenario(env, { name: 'payments', sdlc: POLICY });
  for (const version of ['v1.0.0', 'v2.0.0']) scenario.milestone(version);
  await env.install();
  tina = await scenario.member('tina', 'triage');
});
afterAll(() => env.stop());

const change = async (by: UserSession, body: ScopeBody, version = 'v1.0.0') => {
  const { status, body: answer } = await scenario.change(by, version, body);
  return { status, body: answer };
};
const milestoneTitle = (number: number): string | null =>
  scenario.repository.issues.find(number)?.milestone?.title ?? null;
const owners = (number: number): readonly string[] =>
  [...(scenario.repository.issues.find(number)?.assignees.values() ?? [])].map(({ login }) => login);

/** The codes of the conditions that keep the release in its stage. */
async function blockers(version = 'v1.0.0'): Promise<readonly string[]> {
  const { body } = await tina.get(`/api/milestones/acme/payments?search=${version}`);
  const [release] = body['milestones'] as readonly { readonly blockers: readonly { readonly code: string }[] }[];
  return [...new Set((release?.blockers ?? []).map(({ code }) => code))];
}

const auditOf = async (subject: string): Promise<readonly object[]> =>
  env.asSuperuser(`select action, actor ->> 'login' as by, data ->> 'assignee' as assignee, data ->> 'version' as version
    from audit_entry where subject = '${subject}' order by sequence`);

describe('the scope of a release', () => {
  it('is changed on GitHub by the user, and saved before the response', async () => {
    const { number } = scenario.issue('Pay by card');
    const bearer = await givenUserToken(env, tina.user);
    const before = scenario.writes().length;

    expect(await change(tina, { action: 'link', number })).toEqual(SAVED);
    expect([milestoneTitle(number), await scenario.known('v1.0.0')]).toEqual(['v1.0.0', [`${number}`]]);
    // The deliveries about the change contain nothing new.
    await env.waitUntilIdle();
    expect(await scenario.known('v1.0.0')).toEqual([`${number}`]);
    expect(await blockers()).toContain('issue_unowned');

    expect(await change(tina, { action: 'assign', number, assignee: 'TINA' })).toEqual(SAVED);
    expect([owners(number), await scenario.known('v1.0.0')]).toEqual([['tina'], [`${number} tina`]]);
    expect(await blockers()).not.toContain('issue_unowned');

    expect(await change(tina, { action: 'unassign', number, assignee: 'tina' })).toEqual(SAVED);
    expect([owners(number), await scenario.known('v1.0.0')]).toEqual([[], [`${number}`]]);

    expect(await change(tina, { action: 'unlink', number })).toEqual(SAVED);
    expect([milestoneTitle(number), await scenario.known('v1.0.0')]).toEqual([null, []]);
    expect(scenario.repository.issues.find(number)?.state).toBe('open');
    expect(await blockers()).toContain('scope_empty');

    expect(scenario.writes().slice(before)).toEqual([
      { request: `PATCH ${number}`, bearer },
      { request: `POST ${number}/assignees`, bearer },
      { request: `DELETE ${number}/assignees`, bearer },
      { request: `PATCH ${number}`, bearer },
    ]);
    const received = { by: 'tina', version: 'v1.0.0', assignee: null };
    expect(await auditOf(`acme/payments#${number}`)).toEqual([
      { ...received, action: 'issue.linked' },
      { ...received, action: 'issue.assigned', assignee: 'TINA' },
      { ...received, action: 'issue.unassigned', assignee: 'tina' },
      { ...received, action: 'issue.unlinked' },
    ]);
  });

  it('is saved again without a change on GitHub or an audit entry if it is the same', async () => {
    const { number } = scenario.issue('Refund');
    const repeated: readonly ScopeBody[] = [
      { action: 'link', number },
      { action: 'assign', number, assignee: 'tina' },
      { action: 'unassign', number, assignee: 'nobody-at-all' },
      { action: 'unassign', number, assignee: 'tina' },
      { action: 'unlink', number },
    ];
    for (const body of repeated) {
      expect(await change(tina, body)).toEqual(SAVED);
      const [writes, audited] = [scenario.writes().length, (await auditOf(`acme/payments#${number}`)).length];
      expect(await change(tina, body)).toEqual(SAVED);
      expect([scenario.writes().length, (await auditOf(`acme/payments#${number}`)).length]).toEqual([writes, audited]);
    }
  });

  it('preserves the other assignees of an issue', async () => {
    const issue = scenario.issue('Invoice', scenario.repository.milestones.findByTitle('v1.0.0'));
    await scenario.member('omar', 'read');
    for (const assignee of ['omar', 'tina']) await change(tina, { action: 'assign', number: issue.number, assignee });
    await change(tina, { action: 'unassign', number: issue.number, assignee: 'omar' });
    expect(owners(issue.number)).toEqual(['tina']);
  });
});

describe('no change happens', () => {
  let number: number;
  let before: number;
  beforeAll(() => {
    number = scenario.issue('Left alone').number;
    before = scenario.writes().length;
  });
  const unchanged = (): void => {
    expect([milestoneTitle(number), owners(number), scenario.writes().length]).toEqual([null, [], before]);
  };

  it.each([
    ['without an action', { number: 1 }],
    ['by an action that there is not', { action: 'close', number: 1 }],
    ['without a number', { action: 'link' }],
    ['of issue 0', { action: 'link', number: 0 }],
    ['of half an issue', { action: 'link', number: 1.5 }],
    ['of an issue by its text', { action: 'link', number: '1' }],
    ['of an issue beyond all numbers', { action: 'link', number: 2 ** 31 }],
    ['by an assignment without a user', { action: 'assign', number: 1 }],
    ['by an assignment of null', { action: 'assign', number: 1, assignee: null }],
    ['by an unassignment without a user', { action: 'unassign', number: 1 }],
    ['by an assignment of what is no login', { action: 'assign', number: 1, assignee: '../../user' }],
    ['by a link with an owner', { action: 'link', number: 1, assignee: 'tina' }],
    ['by an unlink with an owner', { action: 'unlink', number: 1, assignee: 'tina' }],
    ['with what else one may think of', { action: 'link', number: 1, milestone: 2 }],
  ])('%s: 400', async (_, body) => {
    expect((await change(tina, body as unknown as ScopeBody)).status).toBe(400);
  });

  it('by users with read access only, without a token, or with a token that GitHub rejects: 403', async () => {
    const reader = await scenario.member('rea', 'read');
    const silent = await signIn(env, env.github.createUser({ login: 'silas' }));
    const gone = await scenario.member('gus', 'write');
    scenario.repository.state.tokens.revokeAllOf(gone.user);
    for (const [user, message] of [
      [reader, /triage acme\/payments/],
      [silent, /Sign in again/],
      [gone, /Sign in again/],
    ] as const) {
      const { status, body } = await change(user, { action: 'link', number });
      expect([status, body['error']]).toEqual([403, expect.stringMatching(message)]);
    }
    unchanged();
  });

  it('by a user who just lost the role: 403', async () => {
    const user = await scenario.member('lost', 'write');
    scenario.repository.setCollaborator(user.user, 'read');
    expect((await change(user, { action: 'link', number })).status).toBe(403);
    unchanged();
  });

  it('for another workspace, a hidden repository or an unknown release: 404 with the same message', async () => {
    const elsewhere = env.github.createOrganization({ login: 'elsewhere' });
    await env.install(elsewhere);
    const outsider = await signIn(env, env.github.createUser({ login: 'otto' }), { organization: elsewhere });
    await givenUserToken(env, outsider.user);
    const hidden = new ScopeScenario(env, { name: 'hidden' });
    hidden.repository.changeVisibility('private');
    hidden.milestone('v1.0.0');
    await env.waitUntilIdle();
    // The access of this user to private repositories is unknown.
    const blind = await signIn(env, env.github.createUser({ login: 'bea' }));
    const answers = [
      await change(outsider, { action: 'link', number }),
      await hidden.change(blind, 'v1.0.0', { action: 'link', number: 1 }),
      await tina.send('POST', '/api/milestones/00000000-0000-4000-8000-000000000000/scope', { action: 'link', number }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(new Set(answers.map(({ body }) => body['error'])).size).toBe(1);
    unchanged();
  });

  it('without a session: 401', async () => {
    const url = `${await env.app.getUrl()}/api/milestones/${await scenario.id('v1.0.0')}/scope`;
    const response = await fetch(url, { method: 'POST', headers: { origin: env.baseUrl } });
    expect(response.status).toBe(401);
  });

  it('for a number that is no issue of the repository: 404', async () => {
    scenario.repository.commit({ branch: 'topic', files: { 'src/b.ts': '1' } });
    const pull = scenario.repository.pulls.open({ head: 'topic', base: 'main', title: 'Not an issue' });
    for (const none of [9_999, pull.number]) {
      const { status, body } = await change(tina, { action: 'link', number: none });
      expect([status, body['error']]).toEqual([404, expect.stringContaining(`no issue #${none}`)]);
    }
  });

  it('for a closed issue, or an issue of another release: 409', async () => {
    const closed = scenario.issue('Closed');
    scenario.repository.issues.close(closed);
    const theirs = scenario.issue('Theirs', scenario.repository.milestones.findByTitle('v2.0.0'));
    expect((await change(tina, { action: 'link', number: closed.number })).status).toBe(409);
    for (const action of ['link', 'unlink']) {
      const { status, body } = await change(tina, { action, number: theirs.number });
      expect([status, body['error']]).toEqual([409, expect.stringContaining('v2.0.0')]);
    }
    expect(milestoneTitle(theirs.number)).toBe('v2.0.0');
  });

  it('to the assignees of an issue outside the scope: 404', async () => {
    for (const action of ['assign', 'unassign']) {
      expect((await change(tina, { action, number, assignee: 'tina' })).status).toBe(404);
    }
    unchanged();
  });

  it('if GitHub rejects the assignee: 422', async () => {
    const issue = scenario.issue('Whose?', scenario.repository.milestones.findByTitle('v1.0.0'));
    const { status, body } = await change(tina, { action: 'assign', number: issue.number, assignee: 'ghost' });
    expect([status, body['error'], owners(issue.number)]).toEqual([422, expect.stringContaining('ghost'), []]);
  });

  it('to a cancelled release, except the removal of an issue: 409', async () => {
    const cancelled = scenario.milestone('v0.9.0');
    const issue = scenario.issue('To be moved', cancelled);
    await env.waitUntilIdle();
    scenario.repository.milestones.close(cancelled);
    await env.waitUntilIdle();
    expect((await change(tina, { action: 'link', number }, 'v0.9.0')).status).toBe(409);
    expect(await change(tina, { action: 'unlink', number: issue.number }, 'v0.9.0')).toEqual(SAVED);
    expect([milestoneTitle(number), issue.milestone]).toEqual([null, null]);
  });
});

describe('two changes at the same time', () => {
  it('link an issue to one of two releases, and the other requests get a conflict', async () => {
    const { number } = scenario.issue('Wanted by all');
    const users = await Promise.all(Array.from({ length: 5 }, (_, at) => scenario.member(`eager-${at}`, 'write')));
    const requested = Array.from({ length: 50 }, (_, at) => (at % 2 === 0 ? 'v1.0.0' : 'v2.0.0'));
    const before = scenario.writes().length;
    const answers = await Promise.all(
      requested.map((version, at) => change(users[at % users.length]!, { action: 'link', number }, version)),
    );
    const winner = milestoneTitle(number);
    const by = (version: string) =>
      new Set(answers.flatMap(({ status }, at) => (requested[at] === version ? [status] : [])));
    expect(by(winner === 'v1.0.0' ? 'v2.0.0' : 'v1.0.0')).toEqual(new Set([409]));
    // A request that waits too long gets a conflict.
    expect([...by(winner ?? '')].filter((status) => status !== 409)).toEqual([200]);
    expect(scenario.writes()).toHaveLength(before + 1);
    expect(await auditOf(`acme/payments#${number}`)).toHaveLength(1);
  });
});

it('sends GitHub only requests that its description allows', () => {
  expect(env.violations).toEqual([]);
});
