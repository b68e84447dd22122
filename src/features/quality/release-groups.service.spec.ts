import { describe, expect, it } from '@jest/globals';
import { givenGroup, givenResult } from '../../../test/support/given-release-group.js';
import type { Viewer } from '../../database/database.js';
import { toOrgId } from '../../database/ids.js';
import type { ReleaseGroup } from './release-group.js';
import { ReleaseGroups } from './release-groups.service.js';

const VIEWER: Viewer = { orgId: toOrgId('00000000-0000-4000-8000-000000000001'), person: 1 };
const idsOf = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `release ${at}`);

/** What became of reading the releases: how many at a time, what was compared on the way, and what is to be compared later. */
async function read(
  ids: readonly string[],
  { results = 3, isPending = false, isReadable = true } = {},
): Promise<{
  readonly statuses: readonly string[];
  readonly sizes: readonly number[];
  readonly compared: readonly string[];
  readonly asked: readonly (readonly string[])[];
}> {
  const compared: string[] = [];
  const asked: (readonly string[])[] = [];
  const sizes: number[] = [];
  const database = { asViewer: (_viewer: Viewer, work: (tx: null) => Promise<unknown>) => work(null) };
  const comparisons = { compare: async (_orgId: string, id: string) => void compared.push(id) };
  const requests = { askFor: async (_tx: null, waiting: readonly string[]) => void asked.push([...waiting]) };
  const groups = new ReleaseGroups(
    database as never,
    null as never,
    null as never,
    null as never,
    comparisons as never,
    requests as never,
  );
  groups.list = async (_tx, batch): Promise<readonly ReleaseGroup[]> =>
    (isReadable ? batch : []).map((id) =>
      givenGroup({
        milestoneId: id,
        comparison: isPending && !compared.includes(id) ? 'pending' : 'known',
        results: Array.from({ length: results }, () => givenResult()),
      }),
    );
  const statuses: string[] = [];
  for await (const batch of groups.batches(VIEWER, ids)) {
    sizes.push(batch.length);
    statuses.push(...batch.map(({ comparison }) => comparison));
  }
  return { statuses, sizes, compared, asked };
}

describe('reading many releases', () => {
  it.each([
    { results: 0, sizes: [25, 25, 25, 25] },
    { results: 3, sizes: [25, 75] },
    { results: 50, sizes: [25, 20, 20, 20, 15] },
  ])('takes as many at a time as hold about a thousand results: $results each', async ({ results, sizes }) => {
    expect((await read(idsOf(100), { results })).sizes).toEqual(sizes);
  });

  it('never takes more than 150 at a time, nor fewer than one', async () => {
    expect((await read(idsOf(500), { results: 1 })).sizes).toEqual([25, 150, 150, 150, 25]);
    expect((await read(idsOf(28), { results: 2_000 })).sizes).toEqual([25, 1, 1, 1]);
  });

  it('goes on quickly where nothing may be read any more', async () => {
    expect((await read(idsOf(100), { isReadable: false })).sizes).toEqual([0, 0, 0, 0]);
  });

  it('compares only the first few on the way, and has others compared later', async () => {
    const ids = idsOf(2_000);
    const { statuses, compared, asked } = await read(ids, { isPending: true });
    expect(compared).toEqual(ids.slice(0, 20));
    expect(statuses).toEqual(ids.map((_, at) => (at < 20 ? 'known' : 'pending')));
    expect(asked.at(-1)).toEqual(ids.slice(20, 1_020));
  });

  it('asks for no comparison where none is wanting', async () => {
    const { compared, asked } = await read(idsOf(100));
    expect([compared, asked]).toEqual([[], []]);
  });
});
