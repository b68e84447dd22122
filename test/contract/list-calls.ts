import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import type { TestDatabase } from '../support/database.js';
import type { BuiltService } from './built-service.js';
import type { Call, CallOperation } from './contract-call.js';
import { PUBLIC_URL } from './given-github.js';
import { givenSession } from './given-session.js';

const REPOSITORY_ID = randomUUID();
const PATH = { owner: 'acme', repo: 'ledger', repoId: REPOSITORY_ID };

/** The lists of the dashboard, each with a filter that matches something and one that matches nothing. */
const LISTS: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>> = {
  listActiveReleases: [
    { search: 'ledger' },
    { search: 'v1.4', sort: 'repository' },
    { search: 'nothing' },
    { outcome: 'in_progress' },
    { outcome: 'ready_to_deploy' },
    { search: 'ledger', outcome: 'in_progress' },
    { outcome: 'all', sort: 'urgency' },
  ],
  listRepositories: [
    { search: 'LEDGER' },
    { search: 'acme' },
    { search: 'nothing' },
    { setupState: 'NOT_STARTED' },
    { setupState: 'COMPLETE', search: 'ledger' },
    { attention: 'true' },
    { attention: 'false' },
  ],
  listReleases: [{ search: 'V1.4' }, { search: 'nothing' }],
};
const PAGES: readonly Readonly<Record<string, string>>[] = [
  {},
  ...['10', '25', '50'].map((pageSize) => ({ pageSize })),
  ...['1', '2', '100000'].map((page) => ({ page })),
];
const REFUSED: readonly Readonly<Record<string, string>>[] = [
  { page: '0' },
  { page: '1.5' },
  { page: '1e3' },
  { page: '100001' },
  { page: '' },
  { pageSize: '20' },
  { search: '' },
  { search: 'x'.repeat(201) },
  { outcome: 'shipped' },
  { x: '\u0000' },
];

/** Provokes every documented response of the lists of the dashboard. */
export async function callLists(call: CallOperation, of: BuiltService, database: TestDatabase): Promise<void> {
  const session = async (role: 'member' | null): Promise<Call> => ({
    of,
    headers: { cookie: await givenSession(database, role), origin: PUBLIC_URL },
    path: PATH,
  });
  await giveOpenRepository(database);
  const [member, outsider] = [await session('member'), await session(null)];
  for (const [operationId, filters] of Object.entries(LISTS)) {
    for (const filter of [{}, ...filters]) {
      for (const page of PAGES) expect(await call(operationId, { ...member, query: { ...filter, ...page } })).toBe(200);
    }
    for (const query of REFUSED) expect(await call(operationId, { ...member, query })).toBe(400);
    expect(await call(operationId, { of, path: PATH })).toBe(401);
    expect(await call(operationId, outsider)).toBe(403);
  }
  expect(await call('listReleases', { ...member, path: { ...PATH, repo: 'elsewhere' } })).toBe(404);
  expect(await call('getRepository', member)).toBe(200);
  expect(await call('getRepository', { ...member, query: { x: '\u0000' } })).toBe(400);
  expect(await call('getRepository', { of, path: PATH })).toBe(401);
  expect(await call('getRepository', outsider)).toBe(403);
  expect(await call('getRepository', { ...member, path: { repoId: randomUUID() } })).toBe(404);
}

/** Provokes every documented response of the search over the workspace. */
export async function callSearch(call: CallOperation, of: BuiltService, database: TestDatabase): Promise<void> {
  const session = async (role: 'member' | null): Promise<Call> => ({
    of,
    headers: { cookie: await givenSession(database, role), origin: PUBLIC_URL },
  });
  const [member, outsider] = [await session('member'), await session(null)];
  for (const q of ['ledger', 'V1.3', 'nothing', '4f1c2d9']) {
    expect(await call('searchWorkspace', { ...member, query: { q } })).toBe(200);
  }
  for (const q of ['', 'a', 'x'.repeat(101)]) {
    expect(await call('searchWorkspace', { ...member, query: { q } })).toBe(400);
  }
  expect(await call('searchWorkspace', { of, query: { q: 'ledger' } })).toBe(401);
  expect(await call('searchWorkspace', { ...outsider, query: { q: 'ledger' } })).toBe(403);
}

/** Adds a repository with an active, a shipped and a cancelled release. */
const giveOpenRepository = ({ superuserUrl }: TestDatabase): Promise<unknown> =>
  withDedicatedClient(superuserUrl, (client) =>
    client.query(`
      with made as (
        insert into repository (org_id, id, github_id, name, private, default_branch, created_at, updated_at)
        select org_id, '${REPOSITORY_ID}', 4002, 'ledger', false, 'main', now(), now() from organization where login = 'acme'
        returning org_id, id)
      insert into release (org_id, id, repository_id, version, milestone_github_id, milestone_number, title,
        milestone_url, stage, blockers, blocker_count, shipped_at, cancelled_at, created_at, updated_at)
      select org_id, gen_random_uuid(), id, version, 7000 + at, at, version,
        'https://github.com/acme/ledger/milestone/' || at, stage,
        '[{"code": "issue_open", "detail": "Issue #1 is still open.", "actor": "team", "url": "https://github.com/acme/ledger/issues/1"}]',
        1, case at when 2 then now() end, case at when 3 then now() end, now(), now()
      from made, unnest(array['v1.4.0', 'v1.3.0', 'v1.2.0'], array['DEVELOPMENT', 'DEPLOYED', 'PLANNING'])
        with ordinality as given (version, stage, at)`),
  );

export async function callListsWithoutDatabase(call: CallOperation, of: BuiltService, cookie: string): Promise<void> {
  for (const operationId of [...Object.keys(LISTS), 'getRepository']) {
    expect(await call(operationId, { of, headers: { cookie }, path: PATH })).toBe(503);
  }
  expect(await call('searchWorkspace', { of, headers: { cookie }, query: { q: 'ledger' } })).toBe(503);
}
