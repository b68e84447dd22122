import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startFakeGitHubGateway, type FakeGitHubGateway } from '../../../test/support/fake-github-gateway.js';

const ACME = { id: 11, installationId: 7 };
const MIA = { id: 501, login: 'mia' };
const INSTALLATION = 'GET /app/installations/7';
const MEMBERS = 'GET /orgs/acme/members';
const MEMBERSHIP = 'GET /orgs/acme/memberships/mia';

const installationJson = (changes: object = {}): object => ({
  id: 7,
  account: { id: 11, login: 'acme' },
  target_type: 'Organization',
  repository_selection: 'all',
  permissions: { members: 'read' },
  suspended_at: null,
  ...changes,
});
const membershipJson = (changes: object = {}): object => ({
  state: 'active',
  role: 'member',
  organization: { id: 11, login: 'acme' },
  user: MIA,
  ...changes,
});

let fake: FakeGitHubGateway;
beforeEach(async () => {
  fake = await startFakeGitHubGateway();
  fake.server.on(INSTALLATION, { json: installationJson() });
  fake.server.on(MEMBERS, { json: [{ id: 500 }] });
});
afterEach(() => fake.server.stop());

const memberIds = async (): Promise<readonly number[]> => [...(await fake.github.organizations.memberIds(ACME)).value];
const hasMember = async (user: { readonly id: number; readonly login: string | null } = MIA): Promise<boolean> =>
  (await fake.github.organizations.hasMember(ACME, user)).value;

describe('the members of an organization', () => {
  it('are read from all pages', async () => {
    const next = { link: `<${fake.server.url}/orgs/acme/members?page=2>; rel="next"` };
    fake.server.on(MEMBERS, ({ query }) =>
      query.get('page') === '2' ? { json: [{ id: 501 }] } : { json: [{ id: 500 }], headers: next },
    );
    expect(await memberIds()).toEqual([500, 501]);
  });

  it.each([
    ['is gone', { status: 404, json: { message: 'Not Found' } }],
    ['belongs to another account', { json: installationJson({ account: { id: 12, login: 'acme' } }) }],
    ['is suspended', { json: installationJson({ suspended_at: '2026-05-01T00:00:00Z' }) }],
    ['may not see members', { json: installationJson({ permissions: { contents: 'write' } }) }],
    [
      'belongs to an enterprise with the same id',
      { json: installationJson({ target_type: 'Enterprise', account: { id: 11, slug: 'acme' } }) },
    ],
  ])('are not requested if the installation %s', async (_, reply) => {
    fake.server.on(INSTALLATION, reply);
    await expect(memberIds()).rejects.toMatchObject({ kind: 'forbidden' });
    await expect(hasMember()).rejects.toMatchObject({ kind: 'forbidden' });
    expect(fake.server.seen.filter(({ route }) => route.includes('/orgs/'))).toEqual([]);
  });

  it('are read under the name that the organization has now', async () => {
    fake.server.on(INSTALLATION, { json: installationJson({ account: { id: 11, login: 'renamed' } }) });
    fake.server.on('GET /orgs/renamed/members', { json: [{ id: 502 }] });
    expect(await memberIds()).toEqual([502]);
  });

  it('are rejected if the organization was renamed meanwhile', async () => {
    fake.server.on(
      INSTALLATION,
      { json: installationJson() },
      { json: installationJson({ account: { id: 11, login: 'renamed' } }) },
    );
    await expect(memberIds()).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('are rejected if the list is empty', async () => {
    fake.server.on(MEMBERS, { json: [] });
    await expect(memberIds()).rejects.toMatchObject({ kind: 'malformed' });
  });

  it('consist of the owner in a personal account', async () => {
    fake.server.on(INSTALLATION, { json: installationJson({ target_type: 'User', permissions: {} }) });
    expect(await memberIds()).toEqual([11]);
    expect(await hasMember()).toBe(false);
    expect(await hasMember({ id: 11, login: 'acme' })).toBe(true);
  });
});

describe('a member of an organization', () => {
  it('is found by login, without the list', async () => {
    fake.server.on(MEMBERSHIP, { json: membershipJson() });
    expect(await hasMember()).toBe(true);
    expect(fake.server.calls(MEMBERS)).toEqual([]);
  });

  it.each([
    ['is only invited', { state: 'pending' }],
    ['is another user who has the login now', { user: { id: 777, login: 'mia' } }],
    ['is a member of another organization of that name', { organization: { id: 12, login: 'acme' } }],
    ['is not named', { user: null }],
  ])('is searched in the list if the user with that login %s', async (_, changes) => {
    fake.server.on(MEMBERSHIP, { json: membershipJson(changes) });
    expect(await hasMember()).toBe(false);
    fake.server.on(MEMBERS, { json: [{ id: 500 }, { id: 501 }] });
    expect(await hasMember()).toBe(true);
  });

  it('is searched in the list if GitHub has no member with that login, or no login is known', async () => {
    fake.server.on(MEMBERS, { json: [{ id: 501 }] });
    expect(await hasMember()).toBe(true);
    expect(await hasMember({ id: 501, login: null })).toBe(true);
    expect(await hasMember({ id: 502, login: null })).toBe(false);
  });

  it('is unknown if GitHub does not answer', async () => {
    fake.server.on(MEMBERSHIP, { status: 500, json: {} });
    await expect(hasMember()).rejects.toMatchObject({ kind: 'unavailable' });
    fake.server.on(MEMBERSHIP, { status: 404, json: { message: 'Not Found' } });
    fake.server.on(MEMBERS, { status: 502, json: {} });
    await expect(hasMember()).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
