import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { givenUserToken } from '../support/given-user-token.js';
import { type UserSession, signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';
import { ScopeScenario } from './scenarios/scope-scenario.js';

let env: TestEnvironment;
let scenario: ScopeScenario;
let secret: RepositoryScenario;
let wanda: UserSession;

beforeAll(async () => {
  env = await TestEnvironment.start();
  scenario = new ScopeScenario(env, { name: 'payments' });
  secret = new RepositoryScenario(env, { name: 'hushed' });
  await env.install();
  wanda = await scenario.member('wanda', 'write');
  await env.waitUntilIdle();
});
afterAll(() => env.stop());
afterEach(() => {
  env.github.faults.clear();
  expect(env.violations).toEqual([]);
});

async function idOf({ id }: RepositoryScenario['repository']): Promise<string> {
  const [row] = await env.asSuperuser<{ id: string }>(`select id from repository where github_id = ${id}`);
  if (!row) throw new Error('the service has not stored the repository');
  return row.id;
}
const make = async (body: object, by = wanda) =>
  by.send('POST', '/api/milestones', { repoId: await idOf(scenario.repository), ...body });
const statusOf = async (body: object, by = wanda): Promise<number> => (await make(body, by)).status;
const titles = (): readonly string[] => scenario.repository.milestones.list().map(({ title }) => title);
const releases = async (version: string): Promise<readonly { readonly id: string }[]> =>
  env.asSuperuser(`select id from release where version = '${version}' and deleted_at is null`);

describe('a release that a user creates', () => {
  it('is created as a milestone on GitHub first, in the name of the user, and returned as in lists', async () => {
    const { status, body } = await make({
      version: 'v1.0.0',
      title: 'v1.0.0',
      description: 'Pay by card.',
      dueOn: '2026-12-24',
    });
    expect([status, body]).toMatchObject([
      201,
      {
        org: 'acme',
        repo: 'payments',
        version: 'v1.0.0',
        title: 'v1.0.0',
        stage: 'PLANNING',
        outcome: 'in_progress',
        readiness: { status: 'pending' },
        dueOn: '2026-12-24T12:00:00.000Z',
      },
    ]);
    const created = scenario.repository.milestones.findByTitle('v1.0.0');
    expect([created?.creator.login, created?.description, created?.state]).toEqual(['wanda', 'Pay by card.', 'open']);
    expect(
      await env.asSuperuser(
        `select actor ->> 'login' as by, subject, (data ->> 'milestoneNumber')::int as number from audit_entry
         where action = 'release.made'`,
      ),
    ).toEqual([{ by: 'wanda', subject: 'v1.0.0', number: created?.number }]);
    await env.waitUntilIdle();
    expect((await wanda.get(`/api/milestones/${String(body['milestoneId'])}`)).body).toMatchObject({
      release: { readiness: { status: 'not_ready' } },
      transitions: [{ from: null, to: 'PLANNING' }],
    });
  });

  it('is created once for all requests at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => make({ version: 'v1.1.0' })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, ...Array<number>(7).fill(409)]);
    await env.waitUntilIdle();
    expect([titles().filter((title) => title === 'v1.1.0'), await releases('v1.1.0')]).toMatchObject([
      ['v1.1.0'],
      [expect.anything()],
    ]);
  });

  it.each<[string, object, number]>([
    ['no version under the naming', { version: '1.0' }, 422],
    ['a version of another naming', { version: '2026.1.0' }, 422],
    ['another title', { version: 'v5.0.0', title: 'Five' }, 400],
    ['an empty version', { version: '' }, 400],
    ['a version that is too long', { version: `v1.0.0-${'a'.repeat(100)}` }, 400],
    ['no version', {}, 400],
    ['a repository that is no id', { version: 'v5.0.0', repoId: 'payments' }, 400],
    ['a repository that there is not', { version: 'v5.0.0', repoId: randomUUID() }, 404],
    ['a day that does not exist', { version: 'v5.0.0', dueOn: '2026-02-30' }, 400],
    ['a time without an offset', { version: 'v5.0.0', dueOn: '2026-02-20T10:00:00' }, 400],
    ['an hour that does not exist', { version: 'v5.0.0', dueOn: '2026-02-20T25:00:00Z' }, 400],
    ['the end of a day as an hour of it', { version: 'v5.0.0', dueOn: '2026-02-20T24:00:00Z' }, 400],
    ['a description that is too long', { version: 'v5.0.0', description: 'x'.repeat(10_001) }, 400],
    ['an unknown member', { version: 'v5.0.0', state: 'closed' }, 400],
  ])('is rejected for %s, without a call to GitHub', async (_, body, status) => {
    const callsBefore = env.exchanges.length;
    expect(await statusOf(body)).toBe(status);
    expect(env.exchanges.length).toBe(callsBefore);
  });

  it('is rejected if the release or a milestone with that title exists', async () => {
    scenario.milestone('v2.0.0');
    const closed = scenario.milestone('v2.1.0');
    scenario.repository.milestones.close(closed);
    await env.waitUntilIdle();
    expect(await make({ version: 'v2.0.0' })).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('release v2.0.0') },
    });
    expect(await make({ version: 'v2.1.0' })).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('milestone v2.1.0') },
    });
    expect(await releases('v2.1.0')).toEqual([]);
    // A milestone without a delivery is found on GitHub.
    env.outbox.faults.next({ kind: 'lose', event: 'milestone' });
    scenario.milestone('v2.2.0');
    await env.waitUntilIdle();
    expect(await statusOf({ version: 'v2.2.0' })).toBe(409);
  });

  it('can be created again after its milestone was deleted, as a new release', async () => {
    const first = String((await make({ version: 'v3.0.0' })).body['milestoneId']);
    await env.waitUntilIdle();
    const milestone = scenario.repository.milestones.findByTitle('v3.0.0');
    if (milestone) scenario.repository.milestones.delete(milestone);
    await env.waitUntilIdle();
    const { status, body } = await make({ version: 'v3.0.0' });
    expect([status, body['milestoneId'] === first]).toEqual([201, false]);
  });

  it('is created only if GitHub allows it for the user', async () => {
    const reader = await scenario.member('rea', 'read');
    expect(await statusOf({ version: 'v4.0.0' }, reader)).toBe(403);
    const tokenless = await signIn(env, env.github.createUser({ login: 'tom' }));
    expect(await make({ version: 'v4.0.0' }, tokenless)).toMatchObject({
      status: 403,
      body: { error: expect.stringContaining('Sign in again') },
    });
    const revoked = await scenario.member('rick', 'write');
    env.github.state.tokens.revoke(await givenUserToken(env, revoked.user));
    expect(await statusOf({ version: 'v4.0.0' }, revoked)).toBe(403);
    expect(titles()).not.toContain('v4.0.0');
  });

  it('cannot be created in a private repository that the user cannot read', async () => {
    const tim = await signIn(env, env.github.createUser({ login: 'tim' }));
    expect(await statusOf({ version: 'v1.0.0', repoId: await idOf(secret.repository) }, tim)).toBe(404);
  });

  it('is rejected while the app does not reach the repository', async () => {
    await env.asSuperuser(`update organization set suspended_at = now() where login = 'acme'`);
    expect(await statusOf({ version: 'v4.1.0' })).toBe(409);
    await env.asSuperuser(`update organization set suspended_at = null where login = 'acme'`);
  });
});

describe('while GitHub fails, a release', () => {
  const POST = /^POST \/repos\/.*\/milestones$/;

  it('is not created, and the response is a 503 with a retry time', async () => {
    env.github.faults.next({ kind: '5xx', match: POST });
    const { status, headers } = await make({ version: 'v6.0.0' });
    expect([status, Number(headers.get('retry-after')) > 0]).toEqual([503, true]);
    expect([titles().includes('v6.0.0'), await releases('v6.0.0')]).toEqual([false, []]);
    expect(await statusOf({ version: 'v6.0.0' })).toBe(201);
  });

  it.each([
    ['an error', { kind: '5xx', match: POST, afterWork: true } as const],
    ['no answer', { kind: 'drop', match: POST, afterWork: true } as const],
    ['half an answer', { kind: 'truncate', match: POST } as const],
  ])('is created if the milestone was created and the response was %s', async (kind, fault) => {
    const version = `v6.1.${kind.length}`;
    env.github.faults.next(fault);
    expect(await statusOf({ version, description: 'as asked' })).toBe(201);
    await env.waitUntilIdle();
    expect([titles().filter((title) => title === version).length, await releases(version)]).toMatchObject([1, [{}]]);
  });

  it('follows automatically if it is unknown whether the milestone was created', async () => {
    env.github.faults.next({ kind: '5xx', match: POST, afterWork: true });
    env.github.faults.next({
      kind: '5xx',
      status: 503,
      retryAfterS: 30,
      match: /^GET \/repos\/.*\/milestones/,
      times: 1_000,
    });
    const { status, body } = await make({ version: 'v6.2.0' });
    expect([status, body['error']]).toEqual([503, expect.stringContaining('follows automatically')]);
    env.github.faults.clear();
    env.clock.advance(60_000);
    await env.hurry();
    expect(await releases('v6.2.0')).toHaveLength(1);
  });

  it('waits for the rate limit of the user', async () => {
    env.github.faults.next({ kind: 'primary-limit', match: POST });
    const { status, headers } = await make({ version: 'v6.3.0' });
    expect([status, Number(headers.get('retry-after')) > 0]).toEqual([503, true]);
    expect(titles()).not.toContain('v6.3.0');
  });
});
