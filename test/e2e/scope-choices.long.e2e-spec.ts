import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { givenUserToken } from '../support/given-user-token.js';
import { signIn, type UserSession } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { ScopeScenario } from './scenarios/scope-scenario.js';

const KINDS = ['candidates', 'assignees'] as const;
type Kind = (typeof KINDS)[number];

interface Candidate {
  readonly number: number;
  readonly title: string;
}
interface Assignee {
  readonly login: string;
  readonly name: string | null;
}

let env: TestEnvironment;
let scenario: ScopeScenario;
let tina: UserSession;

beforeAll(async () => {
  env = await TestEnvironment.start();
  scenario = new ScopeScenario(env, { name: 'payments' });
  for (const version of ['v1.0.0', 'v0.9.0']) scenario.milestone(version);
  await env.install();
  tina = await scenario.member('tina', 'triage');
});
afterAll(() => env.stop());

const read = async (by: UserSession, kind: Kind, query = '', version = 'v1.0.0') =>
  by.get(`/api/milestones/${await scenario.id(version)}/scope/${kind}${query}`);
const candidates = async (query = ''): Promise<readonly Candidate[]> =>
  (await read(tina, 'candidates', query)).body['issues'] as readonly Candidate[];
const titles = async (query = ''): Promise<readonly string[]> => (await candidates(query)).map(({ title }) => title);
const assignees = async (query = ''): Promise<readonly Assignee[]> =>
  (await read(tina, 'assignees', query)).body['users'] as readonly Assignee[];

describe('the issues that can be linked', () => {
  it('are the open ones without a milestone, newest first', async () => {
    const { issues, pulls, milestones } = scenario.repository;
    const oldest = issues.create({ title: 'Pay by card', labels: ['feature', 'urgent'] });
    issues.close(issues.create({ title: 'Pay by phone' }));
    issues.create({ title: 'Pay by letter', milestone: milestones.findByTitle('v0.9.0') });
    scenario.repository.commit({ branch: 'pay', files: { 'src/pay.ts': '1' } });
    pulls.open({ head: 'pay', base: 'main', title: 'Pay by pull request' });
    issues.create({ title: 'Refunds' });
    const found = await candidates();
    expect(found.map(({ title }) => title)).toEqual(['Refunds', 'Pay by card']);
    expect(found[1]).toEqual({
      number: oldest.number,
      title: 'Pay by card',
      labels: ['feature', 'urgent'],
      url: `${env.github.url}/acme/payments/issues/${oldest.number}`,
    });
  });

  it('are found by a part of the title in any case, and by the beginning of the number', async () => {
    const { number } = scenario.issue('100% Überweisung');
    expect(await titles('?search=%C3%9CBERW')).toEqual(['100% Überweisung']);
    expect(await titles('?search=100%25')).toEqual(['100% Überweisung']);
    for (const search of [`${number}`, `%23${number}`])
      expect(await titles(`?search=${search}`)).toEqual(['100% Überweisung']);
    expect(await titles('?search=by%20phone')).toEqual([]);
  });

  it('are at most 50, and are also found behind the first pages of GitHub', async () => {
    const { number } = scenario.issue('The needle');
    for (let at = 0; at < 210; at += 1) scenario.issue(`Straw ${at}`);
    expect(await titles()).toHaveLength(50);
    expect((await candidates('?search=NEEDLE')).map((issue) => issue.number)).toEqual([number]);
  });

  it('are not listed for a cancelled release: 409', async () => {
    scenario.repository.milestones.close(scenario.repository.milestones.findByTitle('v0.9.0')!);
    await env.waitUntilIdle();
    const { status, headers } = await read(tina, 'candidates', '', 'v0.9.0');
    expect([status, headers.get('x-error-code')]).toEqual([409, 'cancelled']);
    expect((await read(tina, 'assignees', '', 'v0.9.0')).status).toBe(200);
  });
});

describe('the users to whom an issue can be assigned', () => {
  it('are those who can read the repository, with the names of those who signed in here', async () => {
    const omar = env.github.createUser({ login: 'omar', name: 'Omar Said' });
    env.organization.addMember(omar);
    const nora = env.github.createUser({ login: 'nora', name: 'Nora Holm' });
    scenario.repository.setCollaborator(nora, 'read');
    await signIn(env, omar);
    env.github.createUser({ login: 'stranger' });
    const found = await assignees();
    expect(found).toContainEqual({
      login: 'omar',
      name: 'Omar Said',
      avatarUrl: `${env.github.url}/avatars/${omar.id}`,
    });
    expect(found).toContainEqual({ login: 'nora', name: null, avatarUrl: `${env.github.url}/avatars/${nora.id}` });
    expect(found.map(({ login }) => login)).toContain('tina');
    expect(found.map(({ login }) => login)).not.toContain('stranger');
  });

  it('are found by a part of the login and of a known name, in any case', async () => {
    expect((await assignees('?search=OMA')).map(({ login }) => login)).toEqual(['omar']);
    expect((await assignees('?search=said')).map(({ login }) => login)).toEqual(['omar']);
    expect(await assignees('?search=holm')).toEqual([]);
  });
});

describe.each(KINDS)('%s', (kind) => {
  it('are read from GitHub with the token of the user', async () => {
    const bearer = await givenUserToken(env, tina.user);
    const before = env.exchanges.length;
    expect((await read(tina, kind)).status).toBe(200);
    const path = `/repos/acme/payments/${kind === 'candidates' ? 'issues' : 'assignees'}`;
    const calls = env.exchanges.slice(before).filter((exchange) => exchange.path.startsWith(path));
    expect(calls.length).toBeGreaterThan(0);
    expect(new Set(calls.map(({ requestHeaders }) => requestHeaders['authorization']))).toEqual(
      new Set([`Bearer ${bearer}`]),
    );
  });

  it('cost none of the calls that GitHub allows the user, if nothing has changed since the last search', async () => {
    await env.waitUntilIdle();
    expect((await read(tina, kind, '?search=ti')).status).toBe(200);
    const before = env.exchanges.length;
    expect((await read(tina, kind, '?search=tin')).status).toBe(200);
    const calls = env.exchanges.slice(before);
    expect(calls.length).toBeGreaterThan(1);
    // GitHub does not count a response with 304.
    expect(new Set(calls.map(({ status }) => status))).toEqual(new Set([304]));
  });

  it.each(['?search=', `?search=${'x'.repeat(201)}`, '?search=a&search=b', '?page=1'])(
    'reject the query "%s"',
    async (query) => {
      expect((await read(tina, kind, query)).status).toBe(400);
    },
  );

  it('are refused to users who may not triage, or whose token GitHub rejects: 403', async () => {
    const reader = await scenario.member(`reader-of-${kind}`, 'read');
    const silent = await signIn(env, env.github.createUser({ login: `silent-${kind}` }));
    const codes = await Promise.all(
      [reader, silent].map(async (user) => {
        const { status, headers } = await read(user, kind);
        return [status, headers.get('x-error-code')];
      }),
    );
    expect(codes).toEqual([
      [403, 'triage_required'],
      [403, 'sign_in_again'],
    ]);
  });

  it('are not found in another workspace, a hidden repository or an unknown release: 404', async () => {
    const elsewhere = env.github.createOrganization({ login: `elsewhere-${kind}` });
    await env.install(elsewhere);
    const outsider = await signIn(env, env.github.createUser({ login: `otto-${kind}` }), { organization: elsewhere });
    await givenUserToken(env, outsider.user);
    const hidden = new ScopeScenario(env, { name: `hidden-${kind}` });
    hidden.repository.changeVisibility('private');
    hidden.milestone('v1.0.0');
    await env.waitUntilIdle();
    const blind = await signIn(env, env.github.createUser({ login: `bea-${kind}` }));
    const answers = [
      await read(outsider, kind),
      await blind.get(`/api/milestones/${await hidden.id('v1.0.0')}/scope/${kind}`),
      await tina.get(`/api/milestones/00000000-0000-4000-8000-000000000000/scope/${kind}`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(new Set(answers.map(({ body }) => body['error'])).size).toBe(1);
  });

  it('are 503 with a retry time while GitHub does not answer', async () => {
    const user = await scenario.member(`unlucky-${kind}`, 'triage');
    env.github.faults.next({
      kind: '5xx',
      times: 10,
      match: new RegExp(`/acme/payments/${kind === 'candidates' ? 'issues' : 'assignees'}`),
    });
    const { status, headers } = await read(user, kind);
    env.github.faults.clear();
    expect([status, headers.get('x-error-code')]).toEqual([503, 'github_unavailable']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
