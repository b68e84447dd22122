import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OrgId } from '../../src/database/ids.js';
import { type JsonAnswer, type UserSession, signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';

const MOST = 100;
const AT_ONCE = 8;

let env: TestEnvironment;
let orgId: OrgId;
let ada: UserSession;

beforeAll(async () => {
  env = await TestEnvironment.start();
  orgId = await env.install();
  ada = await signIn(env, env.github.createUser({ login: 'ada' }), { role: 'admin' });
});
afterAll(() => env.stop());

const makeKey = (): Promise<JsonAnswer> =>
  ada.send('POST', '/api/settings/api-keys', { name: 'ci', scopes: ['gate:read'] });
const invite = (): Promise<JsonAnswer> => ada.send('POST', '/api/team/invites', { role: 'member' });
const atOnce = async (make: () => Promise<JsonAnswer>): Promise<readonly JsonAnswer[]> =>
  Promise.all(Array.from({ length: AT_ONCE }, make));
const statuses = (answers: readonly JsonAnswer[]): readonly number[] =>
  answers.map(({ status }) => status).toSorted((one, other) => one - other);
/** One request succeeds, and every other is rejected. */
const ONE = [201, ...Array.from({ length: AT_ONCE - 1 }, () => 409)];

describe('a workspace', () => {
  it('has at most 100 API keys, including expired ones, however many are created at once', async () => {
    await env.asSuperuser(
      `insert into api_key (org_id, id, name, prefix, secret_hash, scopes, created_by, created_at, expires_at)
       select '${orgId}', gen_random_uuid(), 'ci', 'sgk_xxxxxx', sha256(n::text::bytea), '{gate:read}', 'ada',
         '2020-01-01', case when n % 2 = 0 then '2020-01-02'::timestamptz end
       from generate_series(1, ${MOST - 1}) n`,
    );
    const answers = await atOnce(makeKey);
    expect(statuses(answers)).toEqual(ONE);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual({
      error: expect.stringContaining('Revoke a key first'),
    });
    const created = answers.find(({ status }) => status === 201);
    await ada.send('DELETE', `/api/settings/api-keys/${String(created?.body['id'])}`);
    expect((await makeKey()).status).toBe(201);
  });

  it('has at most 100 pending invites, however many are created at once', async () => {
    await env.asSuperuser(
      `insert into invite (org_id, id, role, created_by, created_at, expires_at)
       select '${orgId}', gen_random_uuid(), 'member', ${ada.user.id}, now(), now() + interval '1 hour'
       from generate_series(1, ${MOST - 1})`,
    );
    const answers = await atOnce(invite);
    expect(statuses(answers)).toEqual(ONE);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual({
      error: expect.stringContaining('Withdraw one'),
    });
    const created = answers.find(({ status }) => status === 201);
    await ada.send('DELETE', `/api/team/invites/${String(created?.body['id'])}`);
    expect((await invite()).status).toBe(201);
  });

  it('can create invites again after some expired', async () => {
    expect((await invite()).status).toBe(409);
    await env.asSuperuser(`update invite set expires_at = now() - interval '1 second' where login is null`);
    expect((await invite()).status).toBe(201);
  });
});
