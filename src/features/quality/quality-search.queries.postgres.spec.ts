import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestWorkspaceDatabase } from '../../../test/support/test-workspace-database.js';
import type { WorkspaceRows } from '../../../test/support/workspace-rows.js';
import { type TenantTransaction, NO_USER_ID } from '../../database/database.js';
import { withDedicatedClient } from '../../database/dedicated-client.js';
import { QualitySearchQueries } from './quality-search.queries.js';
import type { QualityFilter } from './quality.dto.js';

const ANY: QualityFilter = { owner: null, repo: null, milestone: null, type: null, environment: null };
/** More releases than the limit below which all matches are gathered. */
const RELEASES = 1_100;

let listed: TestWorkspaceDatabase;
let rows: WorkspaceRows;

beforeAll(async () => {
  listed = await TestWorkspaceDatabase.open();
  rows = await listed.workspace('Acme');
  for (const [name, from] of [['payments', 1] as const, ['ledger', RELEASES + 1] as const]) {
    const repositoryId = await rows.repository(name, { isPrivate: name === 'ledger' });
    // All releases of the first repository have coverage in staging. In the second, whose evidence is older, every hundredth has.
    await rows.write(
      `with made as (
         insert into release (org_id, id, repository_id, version, milestone_github_id, milestone_number, title, milestone_url,
           stage, evidence_at, created_at, updated_at)
         select $1, gen_random_uuid(), $2, 'v1.' || (at - $3::integer) || '.0', at, at, 'v', 'https://github.com/acme/x/milestone/1',
           'TESTING', timestamptz '2026-05-04' - make_interval(mins => at % 7 + case when $3::integer > 1 then 60 else 0 end),
           now(), now()
         from generate_series($3::integer, $3::integer + ${RELEASES - 1}) at
         returning org_id, repository_id, id, milestone_number)
       insert into evidence_facet (org_id, repository_id, release_id, kind, environment)
       select org_id, repository_id, id, kind, environment from made
       cross join (values ('coverage', 'staging'), ('unit_tests', 'staging'), ('unit_tests', 'ci')) facet (kind, environment)
       where kind = 'unit_tests' and environment = 'ci' or $3::integer = 1 or milestone_number % 100 = 0`,
      [rows.orgId, repositoryId, from],
    );
  }
  // Updates the statistics, as the server does by itself later.
  await withDedicatedClient(listed.urls.superuserUrl, (client) => client.query('analyze'));
});
afterAll(() => listed.close());

type Found = { readonly ids: readonly string[]; readonly total: number };
type Find = (page: { readonly page: number; readonly pageSize: number } | null) => Promise<Found>;

const findIn =
  (tx: TenantTransaction, filter: Partial<QualityFilter>): Find =>
  (page) =>
    new QualitySearchQueries().find(tx, { ...ANY, ...filter }, page);

/** Expects that all matches are found, and that every page is the right part of them. */
async function expectPages(find: Find, total: number, pageSize: number): Promise<void> {
  const all = await find(null);
  expect(all.total).toBe(total);
  expect(new Set(all.ids).size).toBe(total);
  const last = Math.max(1, Math.ceil(total / pageSize));
  for (let page = 1; page <= last + 2; page += 1) {
    const found = await find({ page, pageSize });
    expect([page, found]).toEqual([page, { total, ids: all.ids.slice((page - 1) * pageSize, page * pageSize) }]);
  }
}

describe('a page of releases with evidence', () => {
  it.each<[Partial<QualityFilter>, number]>([
    [{}, 2 * RELEASES],
    [{ owner: 'ACME' }, 2 * RELEASES],
    [{ owner: 'globex' }, 0],
    [{ repo: 'Ledger' }, RELEASES],
    [{ milestone: 'v1.7.0' }, 2],
    [{ milestone: 'v1.7' }, 0],
    [{ environment: 'ci' }, 2 * RELEASES],
    [{ environment: 'staging' }, RELEASES + 11],
    [{ type: 'coverage' }, RELEASES + 11],
    [{ type: 'unit_tests' }, 2 * RELEASES],
    [{ type: 'coverage', environment: 'staging' }, RELEASES + 11],
    [{ type: 'coverage', environment: 'ci' }, 0],
    [{ type: 'coverage', owner: 'acme' }, RELEASES + 11],
    [{ type: 'coverage', owner: 'globex' }, 0],
    [{ type: 'coverage', repo: 'ledger' }, 11],
    [{ type: 'coverage', repo: 'payments', owner: 'acme' }, RELEASES],
    [{ type: 'coverage', milestone: 'v1.99.0' }, 2],
    [{ type: 'coverage', milestone: 'v1.98.0' }, 1],
  ])('is the right part of all matches of %j', (filter, total) =>
    listed.database.inTenant(rows.orgId, (tx) => expectPages(findIn(tx, filter), total, 50)),
  );

  it.each<[Partial<QualityFilter>, number]>([
    [{}, RELEASES],
    [{ type: 'coverage' }, RELEASES],
    [{ environment: 'ci' }, RELEASES],
    [{ type: 'unit_tests', environment: 'staging' }, RELEASES],
    [{ repo: 'ledger' }, 0],
  ])('has no release of a hidden repository for %j', (filter, total) =>
    listed.database.asViewer({ orgId: rows.orgId, userId: NO_USER_ID }, (tx) =>
      expectPages(findIn(tx, filter), total, 50),
    ),
  );

  it.each<Partial<QualityFilter>>([{}, { type: 'unit_tests' }])(
    'is sorted by the time of the evidence and then by the id, in pages of every size, for %j',
    (filter) =>
      listed.database.inTenant(rows.orgId, async (tx) => {
        const sorted = await tx.query<{ readonly id: string }>(
          'select id from release where evidence_at is not null order by evidence_at desc, id',
        );
        expect((await findIn(tx, filter)(null)).ids).toEqual(sorted.map(({ id }) => id));
        for (const pageSize of [10, 25]) await expectPages(findIn(tx, filter), 2 * RELEASES, pageSize);
      }),
  );
});
