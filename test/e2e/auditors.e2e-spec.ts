import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { OrgId } from '../../src/database/ids.js';
import type { Organization } from '../github-sim/state/organization.js';
import { type UserSession, signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { auditOf, createWorkspace } from './scenarios/members.js';

const AUDIT_ROUTES = ['/api/audit', '/api/audit?page=1', '/api/audit/head', '/api/audit/export?format=json'] as const;

let env: TestEnvironment;
let organization: Organization;
let orgId: OrgId;

/** A workspace of its own for each test. */
let ada: UserSession;
let mia: UserSession;

beforeAll(async () => {
  env = await TestEnvironment.start();
});
afterAll(() => env.stop());
beforeEach(async () => {
  ({ organization, orgId } = await createWorkspace(env));
  [ada, mia] = [await come('ada', 'admin'), await come('mia', 'member')];
});

const come = (name: string, role: 'admin' | 'member', place = organization): Promise<UserSession> =>
  signIn(env, env.github.createUser({ login: `${name}-of-${place.login}` }), { role, organization: place });

const grant = (by: UserSession, of: UserSession) => by.send('PUT', `/api/team/members/${of.user.id}/auditor`);
const revoke = (by: UserSession, of: UserSession) => by.send('DELETE', `/api/team/members/${of.user.id}/auditor`);
const setRole = (of: UserSession, role: string) => ada.send('PATCH', `/api/team/members/${of.user.id}`, { role });
const readAudit = async (by: UserSession): Promise<readonly unknown[]> => {
  const answers = await Promise.all(AUDIT_ROUTES.map((route) => by.get(route)));
  return [...new Set(answers.map(({ status, headers }) => headers.get('x-error-code') ?? status))];
};
const workspaceOf = async (of: UserSession): Promise<unknown> => (await of.get('/api/auth/me')).body['workspace'];

describe('an auditor', () => {
  it('reads the audit log, its head and its exports from the next request on, and not any more after the end', async () => {
    expect(await readAudit(mia)).toEqual(['auditor_required']);
    const granted = await grant(ada, mia);
    expect([granted.status, granted.body]).toMatchObject([200, { userId: mia.user.id, role: 'member', auditor: true }]);
    expect(await readAudit(mia)).toEqual([200]);
    expect((await mia.get('/api/audit')).body).toEqual((await ada.get('/api/audit')).body);
    const revoked = await revoke(ada, mia);
    expect([revoked.status, revoked.body]).toMatchObject([200, { userId: mia.user.id, auditor: false }]);
    expect(await readAudit(mia)).toEqual(['auditor_required']);
  });

  it('can do nothing else that needs an admin', async () => {
    await grant(ada, mia);
    const attempts = [
      await mia.get('/api/debug'),
      await grant(mia, mia),
      await revoke(mia, mia),
      await mia.send('PATCH', `/api/team/members/${mia.user.id}`, { role: 'admin' }),
      await mia.send('DELETE', `/api/team/members/${ada.user.id}`),
      await mia.send('POST', '/api/team/invites', { role: 'member' }),
      await mia.send('POST', '/api/settings/api-keys', { name: 'ci', scopes: ['gate:read'] }),
      await mia.send('POST', '/api/freezes', { from: '2099-12-20', to: '2099-12-31', reason: 'year end' }),
    ];
    expect(attempts.map(({ status, headers }) => [status, headers.get('x-error-code')])).toEqual(
      attempts.map(() => [403, 'admin_required']),
    );
  });

  it('reads only the log of the workspace in which they are an auditor', async () => {
    const elsewhere = env.github.createOrganization({ login: `elsewhere-of-${organization.login}` });
    await env.install(elsewhere);
    await grant(ada, mia);
    const there = await signIn(env, mia.user, { organization: elsewhere });
    expect(await readAudit(there)).toEqual(['auditor_required']);
    const other = await come('otto', 'admin', elsewhere);
    expect((await revoke(other, mia)).body).toMatchObject({ auditor: false });
    expect(await readAudit(mia)).toEqual([200]);
  });

  it('is visible to all members and to themselves', async () => {
    expect(await workspaceOf(mia)).toMatchObject({ org: organization.login, role: 'member', auditor: false });
    await grant(ada, mia);
    expect(await workspaceOf(mia)).toMatchObject({ org: organization.login, role: 'member', auditor: true });
    const selected = await mia.send('POST', '/api/auth/workspace', { org: organization.login });
    expect(selected.body).toMatchObject({ workspace: { role: 'member', auditor: true } });
    const members = (await mia.get('/api/team')).body['members'] as readonly { userId: number; auditor: boolean }[];
    expect(members.map(({ userId, auditor }) => [userId, auditor])).toEqual([
      [ada.user.id, false],
      [mia.user.id, true],
    ]);
  });
});

describe('the right of an auditor', () => {
  it('is given and ended only by admins, and only by pages of the service', async () => {
    const otto = await come('otto', 'member');
    for (const change of [grant, revoke]) expect((await change(otto, mia)).status).toBe(403);
    const path = `/api/team/members/${mia.user.id}/auditor`;
    expect((await ada.send('PUT', path, undefined, { origin: 'https://evil.example' })).status).toBe(403);
    expect(await readAudit(mia)).toEqual(['auditor_required']);
  });

  it('is in the audit log once for each change, and announced to the members', async () => {
    const before = await countEvents();
    for (const change of [grant, grant, revoke, revoke]) expect((await change(ada, mia)).status).toBe(200);
    expect(await auditOf(env, orgId)).toEqual([
      `member.auditor_granted ${mia.user.login}`,
      `member.auditor_revoked ${mia.user.login}`,
    ]);
    expect(await countEvents()).toBe(before + 2);
  });

  it('does not depend on the role', async () => {
    await grant(ada, mia);
    expect((await setRole(mia, 'admin')).body).toMatchObject({ role: 'admin', auditor: true });
    expect((await setRole(mia, 'member')).body).toMatchObject({ role: 'member', auditor: true });
    expect(await readAudit(mia)).toEqual([200]);
    expect(await readAudit(ada)).toEqual([200]);
  });

  it('ends with the membership', async () => {
    await grant(ada, mia);
    expect((await ada.send('DELETE', `/api/team/members/${mia.user.id}`)).status).toBe(204);
    expect(await readAudit(mia)).toEqual(['no_workspace']);
    const again = await signIn(env, mia.user, { organization });
    expect(await readAudit(again)).toEqual(['auditor_required']);
  });

  it('cannot be given to a user who is no member: 404', async () => {
    const stranger = env.github.createUser({ login: `stranger-of-${organization.login}` });
    for (const id of [stranger.id, '0', '-1', `0${mia.user.id}`, `${mia.user.id}.0`, randomUUID()]) {
      for (const method of ['PUT', 'DELETE']) {
        expect([id, (await ada.send(method, `/api/team/members/${id}/auditor`)).status]).toEqual([id, 404]);
      }
    }
  });
});

const countEvents = async (): Promise<number> => {
  const [row] = await env.asSuperuser<{ count: number }>(
    `select count(*)::int as count from event where org_id = '${orgId}' and type = 'workspace.updated' and what = 'members'`,
  );
  return row?.count ?? 0;
};
