import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import type { TestDatabase } from '../support/database.js';
import { CANDIDATE } from '../support/given-facts.js';
import type { BuiltService } from './built-service.js';
import type { Call, CallOperation } from './contract-call.js';
import { PUBLIC_URL } from './given-github.js';
import { givenOverridable } from './given-overridable.js';
import { givenSession } from './given-session.js';

const NUL = { x: '\u0000' };
const DEEP = `${'['.repeat(70)}${']'.repeat(70)}`;
const FILTERS: readonly Readonly<Record<string, string>>[] = [
  {},
  { repository: 'ACME/shipped' },
  { repository: 'acme/nothing' },
  { from: '2020-01-01' },
  { to: '2020-01-01' },
  { repository: 'acme/shipped', from: '2020-01-01', to: '2999-12-31' },
  { kind: 'ungoverned' },
  { kind: 'rollback', environment: 'PRODUCTION', search: 'shipped' },
  { environment: 'nowhere' },
  { search: 'acme/SHIP' },
];
const PAGES: readonly Readonly<Record<string, string>>[] = [
  {},
  ...['10', '25', '50'].map((pageSize) => ({ pageSize })),
  ...['1', '2', '100000'].map((page) => ({ page })),
];
const REFUSED: readonly Readonly<Record<string, string>>[] = [
  { page: '0' },
  { pageSize: '20' },
  { from: '2026-02-29' },
  { from: '2026-05-05', to: '2026-05-04' },
  { repository: 'shipped' },
  { kind: 'again' },
  { environment: '' },
  { search: '' },
  NUL,
];
const deployment = (milestoneId: string = randomUUID(), more: object = {}): object => ({ milestoneId, ...more });

/** Provokes every documented response about deployments. */
export async function callHistory(call: CallOperation, of: BuiltService, database: TestDatabase): Promise<void> {
  const session = async (role: 'admin' | 'member' | null) => ({
    of,
    headers: { cookie: await givenSession(database, role), origin: PUBLIC_URL },
  });
  const [ada, bob] = [await session('admin'), await session('admin')];
  const [member, outsider] = [await session('member'), await session(null)];
  const id = await givenOverridable(database, { name: 'shipped', githubId: 4714 });
  await setManaged(database, true);

  const record = (by: Call, body: object | string): Promise<number> => call('recordDeployment', { ...by, body });
  expect(await record(ada, deployment(id))).toBe(409);
  const path = { id };
  expect(await call('requestBreakGlass', { ...ada, path, body: { sha: CANDIDATE, reason: 'all is down' } })).toBe(201);
  expect(await call('confirmPendingBreakGlass', { ...bob, path })).toBe(200);
  expect(await record(ada, deployment(id, { environment: 'staging' }))).toBe(422);
  expect(await record(ada, deployment(id, { deployedAt: '2999-01-01T00:00:00Z' }))).toBe(400);
  expect(await record(ada, deployment(id, { note: 'GitHub was down' }))).toBe(201);
  expect(await record(ada, deployment(id))).toBe(409);
  expect(await record(ada, deployment())).toBe(404);
  expect(await record({ of }, deployment())).toBe(401);
  expect(await record(member, deployment())).toBe(403);
  expect(await record(ada, DEEP)).toBe(413);
  const asXml = { ...ada.headers, 'content-type': 'application/xml' };
  expect(await record({ of, headers: asXml }, '<a/>')).toBe(415);

  await giveUngoverned(database);
  for (const filter of FILTERS) {
    for (const page of PAGES) {
      expect(await call('listHistory', { ...member, query: { ...filter, ...page } })).toBe(200);
    }
  }
  for (const query of REFUSED) expect(await call('listHistory', { ...member, query })).toBe(400);
  for (const format of ['csv', 'xlsx']) {
    for (const filter of FILTERS)
      expect(await call('exportHistory', { ...member, query: { ...filter, format } })).toBe(200);
  }
  for (const query of [{}, { format: 'html' }, ...REFUSED.map((query) => ({ ...query, format: 'csv' }))])
    expect(await call('exportHistory', { ...member, query })).toBe(400);
  expect(await call('exportHistory', { of, query: { format: 'csv' } })).toBe(401);
  expect(await call('exportHistory', { ...outsider, query: { format: 'csv' } })).toBe(403);
  expect(await call('listHistory', { of })).toBe(401);
  expect(await call('listHistory', outsider)).toBe(403);
  await setManaged(database, false);
}

/** Reserves or releases the place in the quota. A gate opens only if the repository has one. */
const setManaged = ({ superuserUrl }: TestDatabase, managed: boolean): Promise<unknown> =>
  withDedicatedClient(superuserUrl, (client) =>
    client.query(`update repository set managed_at = case when $1 then now() end where name = 'shipped'`, [managed]),
  );

/** An ungoverned deployment, which belongs to no release: every nullable field is null. */
const giveUngoverned = ({ superuserUrl }: TestDatabase): Promise<unknown> =>
  withDedicatedClient(superuserUrl, (client) =>
    client.query(
      `insert into deployment_record (org_id, id, repository_id, kind, commit_sha, environment, deployed_at, approvers, recorded_at)
       select org_id, gen_random_uuid(), id, 'ungoverned', $1, 'production', now(), '[]', now()
       from repository where name = 'shipped'`,
      [CANDIDATE],
    ),
  );

export async function callHistoryWithoutDatabase(call: CallOperation, of: BuiltService, cookie: string): Promise<void> {
  const headers = { cookie, origin: PUBLIC_URL };
  expect(await call('listHistory', { of, headers })).toBe(503);
  expect(await call('exportHistory', { of, headers, query: { format: 'xlsx' } })).toBe(503);
  expect(await call('recordDeployment', { of, headers, body: deployment() })).toBe(503);
}
