import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { TestWorkspaceDatabase } from '../../../../test/support/test-workspace-database.js';
import type { WorkspaceRows } from '../../../../test/support/workspace-rows.js';
import { withDedicatedClient } from '../../../database/dedicated-client.js';
import { compareVersions } from '../../../domain/policy/release-version.js';
import { ReleaseSearchQueries } from './release-search.queries.js';
import { ReleaseSummariesQueries } from './release-summaries.queries.js';

const versions = new ReleaseSearchQueries(new ReleaseSummariesQueries({ githubUrl: 'https://github.com' }));

let listed: TestWorkspaceDatabase;
let rows: WorkspaceRows;

beforeAll(async () => {
  listed = await TestWorkspaceDatabase.open();
  rows = await listed.workspace('acme');
});
afterAll(() => listed.close());

const inOrder = (given: readonly string[]): Promise<readonly string[]> =>
  withDedicatedClient(listed.urls.ownerUrl, async (client) => {
    const { rows: sorted } = await client.query<{ version: string }>(
      `select version from unnest($1::text[]) as version order by version_sort_key(version) collate "C"`,
      [given],
    );
    return sorted.map(({ version }) => version);
  });

const number = fc.oneof(
  fc.nat(30).map(String),
  fc.constantFrom('0', '007', '99999999999999999999', '100000000000000000000'),
);
const identifier = fc.oneof(number, fc.constantFrom('a', 'A', '-', 'a-b', 'a-', 'rc', 'beta', '0a', '1-', 'z'));
const version = fc.oneof(
  fc
    .tuple(fc.constantFrom('v', ''), number, number, number, fc.array(identifier, { maxLength: 4 }))
    .map(
      ([v, major, minor, patch, pre]) => `${v}${major}.${minor}.${patch}${pre.length > 0 ? `-${pre.join('.')}` : ''}`,
    ),
  fc.constantFrom('Backlog', 'next', 'v1.0', '', 'v1.0.0 beta', `v1.2.3-${'a'.repeat(93)}`, `v1.2.3-${'a'.repeat(94)}`),
);

describe('the order of versions in the database', () => {
  it('equals the order in the domain', async () => {
    const given = fc.sample(version, { numRuns: 3_000, seed: 4_711 });
    expect(await inOrder(given)).toEqual(given.toSorted(compareVersions));
  });
});

describe('the releases of a repository', () => {
  const NEWEST_FIRST = ['v2.0.0', 'v1.10.0', 'v1.9.0', 'v1.9.0-rc.10', 'v1.9.0-rc.2', 'v1.9.0-rc', 'v1.0.0'];
  let repositoryId: string;
  const idsOf = new Map<string, string>();
  const find = (...given: readonly [search: string | null, page?: { page: number; pageSize: number }]) =>
    listed.database.inTenant(rows.orgId, async (tx) => {
      const { ids, total } = await versions.findNewestFirst(tx, repositoryId, given[0], given[1] ?? null);
      return { versions: ids.map((id) => idsOf.get(id)), total };
    });

  beforeAll(async () => {
    repositoryId = await rows.repository('payments');
    for (const [at, name] of NEWEST_FIRST.toSorted().entries()) {
      const time = '2026-02-01T00:00:00Z';
      const ended = at % 3 === 0 ? { shippedAt: time } : at % 3 === 1 ? { cancelledAt: time } : {};
      idsOf.set(await rows.release({ repositoryId, version: name, ...ended }), name);
    }
    await rows.release({ repositoryId: await rows.repository('other'), version: 'v9.0.0' });
  });

  it('are listed newest first, including shipped and cancelled ones, and without those of other repositories', async () => {
    expect(await find(null)).toEqual({ versions: NEWEST_FIRST, total: 7 });
  });

  it('are listed in pages, and the page after the last one is empty', async () => {
    expect(await find(null, { page: 2, pageSize: 3 })).toEqual({ versions: NEWEST_FIRST.slice(3, 6), total: 7 });
    expect(await find(null, { page: 3, pageSize: 3 })).toEqual({ versions: NEWEST_FIRST.slice(6), total: 7 });
    expect(await find(null, { page: 4, pageSize: 3 })).toEqual({ versions: [], total: 7 });
  });

  it('are found by a part of the version, ignoring case', async () => {
    expect(await find('RC.')).toEqual({ versions: ['v1.9.0-rc.10', 'v1.9.0-rc.2'], total: 2 });
    expect(await find('%')).toEqual({ versions: [], total: 0 });
  });
});
