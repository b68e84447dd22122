import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  repositoryJson,
  type FakeGitHubGateway,
  startFakeGitHubGateway,
} from '../../../test/support/fake-github-gateway.js';
import { budgetKey, scopeKey, userScope } from '../transport/token-scope.js';

const USER = 'GET /user';
const MEMBERSHIPS = 'GET /user/memberships/orgs';
const REPOSITORIES = 'GET /user/installations/7/repositories';

let fake: FakeGitHubGateway;

beforeEach(async () => {
  fake = await startFakeGitHubGateway();
});
afterEach(() => fake.server.stop());

const userJson = (id: number): object => ({
  id,
  login: `user-${id}`,
  name: null,
  avatar_url: 'https://avatars.test/1',
});
const membership = (id: number, changes: object = {}): object => ({
  state: 'active',
  role: 'member',
  organization: { id, login: `org-${id}` },
  ...changes,
});

describe('UserAccess', () => {
  it('sends requests in the name of the user only with the token of the user', async () => {
    fake.server.on(USER, { json: userJson(5) });
    const { value, observedAt } = await fake.github.userAccess.account('ghu_ada');
    expect(value).toEqual({ id: 5, login: 'user-5', name: null, avatarUrl: 'https://avatars.test/1' });
    expect(observedAt).toEqual(fake.clock.now());
    expect(fake.server.seen.map(({ route, headers }) => [route, headers.authorization])).toEqual([
      [USER, 'Bearer ghu_ada'],
    ]);
  });

  it('never returns to one user what was cached for another', async () => {
    fake.server.on(USER, ({ headers }) =>
      headers['if-none-match'] === undefined
        ? { json: userJson(headers.authorization === 'Bearer ghu_ada' ? 1 : 2), headers: { etag: '"same"' } }
        : { status: 304 },
    );
    const idOf = async (token: string): Promise<number> => (await fake.github.userAccess.account(token)).value.id;
    expect([await idOf('ghu_ada'), await idOf('ghu_bob'), await idOf('ghu_ada'), await idOf('ghu_bob')]).toEqual([
      1, 2, 1, 2,
    ]);
  });

  it('lists the organizations of the user', async () => {
    fake.server.on(MEMBERSHIPS, {
      json: [
        membership(1, { role: 'admin' }),
        membership(2),
        membership(3, { state: 'pending', role: 'admin' }),
        membership(4, { role: 'billing_manager' }),
      ],
    });
    expect((await fake.github.userAccess.memberships('ghu_ada')).value).toEqual([
      { organizationId: 1, organizationLogin: 'org-1', role: 'admin' },
      { organizationId: 2, organizationLogin: 'org-2', role: 'member' },
    ]);
    expect(fake.server.calls(MEMBERSHIPS)[0]?.query.get('state')).toBe('active');
  });

  it('rejects an unknown role', async () => {
    fake.server.on(MEMBERSHIPS, { json: [membership(1, { role: 'owner' })] });
    await expect(fake.github.userAccess.memberships('ghu_ada')).rejects.toMatchObject({ kind: 'malformed' });
  });

  it('lists the repositories of an installation that the user can read, or none if the user cannot access the installation', async () => {
    fake.server.on(REPOSITORIES, { json: { total_count: 1, repositories: [repositoryJson()] } });
    const { value } = await fake.github.userAccess.repositories('ghu_ada', 7);
    expect(value.map(({ id, private: isPrivate }) => [id, isPrivate])).toEqual([[101, true]]);
    fake.server.on(REPOSITORIES, { status: 404, json: { message: 'Not Found' } });
    expect((await fake.github.userAccess.repositories('ghu_ada', 7)).value).toEqual([]);
  });

  it.each([
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [502, 'unavailable'],
  ])('does not treat an error %d as an empty list', async (status, kind) => {
    fake.server.on(REPOSITORIES, { status, json: { message: 'No' } });
    fake.server.on(MEMBERSHIPS, { status, json: { message: 'No' } });
    const { userAccess } = fake.github;
    await expect(userAccess.repositories('ghu_ada', 7)).rejects.toMatchObject({ kind });
    await expect(userAccess.memberships('ghu_ada')).rejects.toMatchObject({ kind });
  });

  it('stops the calls of a user whose rate limit is exhausted, and of no other user', async () => {
    const reset = String(fake.clock.now().getTime() / 1000 + 600);
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset };
    fake.server.on(USER, ({ headers: { authorization } }) =>
      authorization === 'Bearer ghu_ada' ? { status: 403, headers, json: {} } : { json: userJson(2) },
    );
    const { userAccess } = fake.github;
    await expect(userAccess.account('ghu_ada')).rejects.toMatchObject({ kind: 'rate_limited' });
    await expect(userAccess.account('ghu_ada')).rejects.toMatchObject({ kind: 'rate_limited' });
    expect(fake.server.calls(USER)).toHaveLength(1);
    expect((await userAccess.account('ghu_bob')).value.id).toBe(2);
    expect(fake.github.budgets()).toEqual([]);
    fake.clock.advance(600_000);
    await expect(userAccess.account('ghu_ada')).rejects.toMatchObject({ kind: 'rate_limited' });
    expect(fake.server.calls(USER)).toHaveLength(3);
  });

  it('names no token in an error that a log could contain', () => {
    const scope = userScope('ghu_secret');
    expect(scopeKey(scope)).toMatch(/^user:[0-9a-f]{64}$/);
    expect(budgetKey(scope)).toBe(scopeKey(scope));
    expect(scopeKey(userScope('ghu_other'))).not.toBe(scopeKey(scope));
  });
});
