import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import type { OrgId } from '../../src/database/ids.js';
import type { Organization } from '../github-sim/state/organization.js';
import { type JsonAnswer, type UserSession, signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { createWorkspace } from './scenarios/members.js';

const WAIT_MS = 300;

let env: TestEnvironment;
let organization: Organization;
let orgId: OrgId;
let ada: UserSession;
let bob: UserSession;

beforeAll(async () => {
  env = await TestEnvironment.start();
});
afterAll(() => env.stop());
beforeEach(async () => {
  ({ organization, orgId } = await createWorkspace(env));
  [ada, bob] = [await admin('ada'), await admin('bob')];
});

const admin = (name: string): Promise<UserSession> =>
  signIn(env, env.github.createUser({ login: `${name}-of-${organization.login}` }), { role: 'admin', organization });

/**
 * The response to a request of an admin who is demoted while it runs: after the authorization, and before its
 * transaction checks the role.
 */
async function meanwhileDemoted(who: UserSession, work: () => Promise<JsonAnswer>): Promise<JsonAnswer> {
  return withDedicatedClient(env.databaseUrls.superuserUrl, async (client) => {
    await client.query('begin');
    await client.query(`update member set role = 'member' where org_id = $1 and person = $2`, [orgId, who.user.id]);
    const answer = work();
    await sleep(WAIT_MS);
    await client.query('commit');
    return answer;
  });
}

const roleOf = async ({ user }: UserSession): Promise<unknown> =>
  (
    await env.asSuperuser<{ role: string }>(`select role from member where org_id = '${orgId}' and person = ${user.id}`)
  )[0]?.role;

describe('an admin who is demoted during a request', () => {
  it.each<[string, (by: UserSession, of: UserSession) => Promise<JsonAnswer>]>([
    ['demotes no member', (by, of) => by.send('PATCH', `/api/team/members/${of.user.id}`, { role: 'member' })],
    ['removes no member', (by, of) => by.send('DELETE', `/api/team/members/${of.user.id}`)],
    ['makes no member an auditor', (by, of) => by.send('PUT', `/api/team/members/${of.user.id}/auditor`)],
  ])('%s', async (_, act) => {
    // Another one, so that bob is not the last.
    await admin('cy');
    expect((await meanwhileDemoted(ada, () => act(ada, bob))).status).toBe(403);
    expect(await roleOf(bob)).toBe('admin');
  });

  it('creates no API key', async () => {
    const order = { name: 'ci', scopes: ['gate:read'] };
    const answer = await meanwhileDemoted(ada, () => ada.send('POST', '/api/settings/api-keys', order));
    expect([answer.status, answer.body]).toEqual([403, { error: 'This needs an admin of the workspace.' }]);
    expect((await bob.get('/api/settings/api-keys')).body).toEqual({ keys: [] });
  });

  it('revokes no API key', async () => {
    const created = await bob.send('POST', '/api/settings/api-keys', { name: 'ci', scopes: ['gate:read'] });
    const path = `/api/settings/api-keys/${String(created.body['id'])}`;
    expect((await meanwhileDemoted(ada, () => ada.send('DELETE', path))).status).toBe(403);
    expect((await bob.get('/api/settings/api-keys')).body['keys']).toHaveLength(1);
  });

  it('creates no invite and withdraws none', async () => {
    const invite = (by: UserSession) => by.send('POST', '/api/team/invites', { role: 'admin' });
    const path = `/api/team/invites/${String((await invite(bob)).body['id'])}`;
    expect((await meanwhileDemoted(ada, () => ada.send('DELETE', path))).status).toBe(403);
    await env.asSuperuser(`update member set role = 'admin' where org_id = '${orgId}'`);
    expect((await meanwhileDemoted(ada, () => invite(ada))).status).toBe(403);
    expect((await bob.get('/api/team')).body['invites']).toHaveLength(1);
  });

  it('gets the error about the last admin first', async () => {
    // If two admins demote each other, both errors apply to the second one.
    const demote = (by: UserSession, of: UserSession) =>
      by.send('PATCH', `/api/team/members/${of.user.id}`, { role: 'member' });
    expect((await meanwhileDemoted(ada, () => demote(ada, bob))).status).toBe(403);
    await env.asSuperuser(`update member set role = 'admin' where org_id = '${orgId}'`);
    const answers = await Promise.all([demote(ada, bob), demote(bob, ada)]);
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409]);
  });
});
