import { describe, expect, it } from '@jest/globals';
import { CANDIDATE, PLAIN_POLICY } from '../../../test/support/given-facts.js';
import { FixedClock } from '../../../test/support/fixed-clock.js';
import type { Viewer } from '../../database/database.js';
import { toOrgId } from '../../database/ids.js';
import type { PackedUpload } from './quality-evidence.queries.js';
import { type RawRelease, parseRelease } from './quality-releases.queries.js';
import { type GroupSelection, ReleaseGroupsService } from './release-groups.service.js';
import { evaluateQuality } from './release-quality.js';
import type { ReleaseGroupDto } from './quality.dto.js';
import { comparisonKey } from './tests/test-attempts.js';
import type { StoredComparison } from './tests/test-comparisons.repository.js';

const VIEWER: Viewer = { orgId: toOrgId('00000000-0000-4000-8000-000000000001'), userId: 1 };
const idsOf = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `release ${at}`);

const selectionOf = (ids: readonly string[]): GroupSelection => ({
  reads: { read: (work) => work(null as never) },
  ids,
});

const releaseOf = (id: string, results: number, version: string): RawRelease => ({
  id,
  repositoryId: 'p',
  org: 'acme',
  repo: 'payments',
  version,
  stage: 'TESTING',
  candidate: { sha: CANDIDATE, shas: [CANDIDATE] },
  evidenceMerge: null,
  incomplete: [],
  runCoverages: [],
  shippedScorecard: null,
  policy: PLAIN_POLICY,
  predecessor: null,
  packed: { uploads: uploadsOf(results), olderItems: 0 },
});

const uploadsOf = (count: number): readonly PackedUpload[] =>
  Array.from({ length: count }, (_, sequence) => ({
    sequence: String(sequence),
    id: `upload ${sequence}`,
    pipeline: 'build',
    environment: 'ci',
    job: '',
    runId: null,
    proven: false,
    attempt: 1,
    checkRunId: null,
    jobGroup: null,
    jobTotal: null,
    commitSha: CANDIDATE,
    items: JSON.stringify([{ kind: 'unit_tests', metrics: {}, failures: [], content: 1 }]),
    sha256: 'f',
    receivedAt: Date.UTC(2026, 1, 1) / 1_000,
  }));

interface Given {
  readonly results?: number;
  readonly isPending?: boolean;
  readonly isReadable?: boolean;
}

/** Groups of releases with the same number of results, and a record of the reads. */
class Fixture {
  readonly clock = new FixedClock();
  /** The ids of each read from the database. */
  readonly reads: (readonly string[])[] = [];
  readonly compared: string[] = [];
  readonly requested: (readonly string[])[] = [];
  /** The version of every release that is read from now on. */
  version = 'v1.0.0';
  readonly groups: ReleaseGroupsService;

  constructor({ results = 3, isPending = false, isReadable = true }: Given = {}) {
    const list = async (_tx: null, ids: readonly string[]): Promise<readonly RawRelease[]> => {
      this.reads.push(ids);
      return isReadable ? ids.map((id) => releaseOf(id, results, this.version)) : [];
    };
    const stored = async (_tx: null, ids: readonly string[]): Promise<readonly StoredComparison[]> =>
      ids
        .filter((id) => !isPending || this.compared.includes(id))
        .map((id) => ({
          releaseId: id,
          basis: comparisonKey(evaluateQuality(parseRelease(releaseOf(id, results, this.version)))) ?? '',
          result: { change: null, flaky: { count: 0, names: [], rate: 0 } },
        }));
    this.groups = new ReleaseGroupsService(
      { asViewer: (_viewer: Viewer, work: (tx: null) => Promise<unknown>) => work(null) } as never,
      null as never,
      { list } as never,
      null as never,
      { list: stored } as never,
      { compare: async (_orgId: string, id: string) => void this.compared.push(id) } as never,
      {
        enqueue: async (_tx: null, _name: string, { releaseIds }: { readonly releaseIds: readonly string[] }) =>
          void this.requested.push([...releaseIds]),
      } as never,
      this.clock,
    );
  }

  async batches(ids: readonly string[]): Promise<readonly (readonly ReleaseGroupDto[])[]> {
    const batches: (readonly ReleaseGroupDto[])[] = [];
    for await (const batch of this.groups.batches(VIEWER, selectionOf(ids))) batches.push(batch);
    return batches;
  }
}

const sizesOf = (lists: readonly (readonly unknown[])[]): readonly number[] => lists.map(({ length }) => length);

describe('reading many releases', () => {
  it.each([
    { results: 0, count: 100, sizes: [25, 25, 25, 25] },
    { results: 3, count: 1_100, sizes: [25, 500, 500, 75] },
    { results: 50, count: 65, sizes: [25, 30, 10] },
  ])('reads as many at a time as contain about 1,500 results: $results each', async ({ results, count, sizes }) => {
    const scenario = new Fixture({ results });
    await scenario.batches(idsOf(count));
    expect(sizesOf(scenario.reads)).toEqual(sizes);
  });

  it('never reads more than 500 at a time, nor fewer than one', async () => {
    const small = new Fixture({ results: 1 });
    await small.batches(idsOf(1_100));
    expect(sizesOf(small.reads)).toEqual([25, 500, 500, 75]);
    const large = new Fixture({ results: 4_000 });
    await large.batches(idsOf(28));
    expect(sizesOf(large.reads)).toEqual([25, 1, 1, 1]);
  });

  it.each([
    { results: 3, sizes: [10, 10, 5, ...Array.from({ length: 17 }, () => 10), 5] },
    { results: 400, sizes: Array.from({ length: 200 }, () => 1) },
    { results: 0, sizes: Array.from({ length: 8 }, () => 25) },
  ])('evaluates about 30 uploads at a time: $results each', async ({ results, sizes }) => {
    const batches = await new Fixture({ results }).batches(idsOf(200));
    expect(sizesOf(batches)).toEqual(sizes);
    expect(batches.flat().map(({ milestoneId }) => milestoneId)).toEqual(idsOf(200));
  });

  it('yields to other work before each of them', async () => {
    const batches = new Fixture().groups.batches(VIEWER, selectionOf(idsOf(225)));
    await batches.next();
    const turn = new Promise((resolve) => setImmediate(resolve, 'another'));
    expect(await Promise.race([batches.next().then(() => 'the next'), turn])).toBe('another');
  });

  it('omits a release that is no longer visible, and continues', async () => {
    const scenario = new Fixture({ isReadable: false });
    expect(await scenario.batches(idsOf(100))).toEqual([]);
    expect(sizesOf(scenario.reads)).toEqual([25, 25, 25, 25]);
  });

  it('reads a batch again that waited for more than ten seconds', async () => {
    const scenario = new Fixture();
    const batches = scenario.groups.batches(VIEWER, selectionOf(idsOf(225)));
    const versions = async (): Promise<ReadonlySet<string>> =>
      new Set(((await batches.next()).value as readonly ReleaseGroupDto[]).map(({ version }) => version));
    expect(await versions()).toEqual(new Set(['v1.0.0']));
    scenario.version = 'v2.0.0';
    scenario.clock.advance(10_000);
    expect(await versions()).toEqual(new Set(['v1.0.0']));
    scenario.clock.advance(1);
    expect(await versions()).toEqual(new Set(['v2.0.0']));
    expect(scenario.reads.at(-1)).toEqual(idsOf(225).slice(20, 25));
  });

  it('compares only the first few at once, and enqueues the comparison of the others', async () => {
    const ids = idsOf(2_000);
    const scenario = new Fixture({ isPending: true });
    const statuses = (await scenario.batches(ids)).flat().map(({ comparison }) => comparison);
    expect(scenario.compared).toEqual(ids.slice(0, 20));
    expect(statuses).toEqual(ids.map((_, at) => (at < 20 ? 'known' : 'pending')));
    expect(scenario.requested.at(-1)).toEqual(ids.slice(20, 1_020));
  });

  it('also enqueues the comparison of releases whose reader has disconnected', async () => {
    const scenario = new Fixture({ isPending: true });
    const batches = scenario.groups.batches(VIEWER, selectionOf(idsOf(100)));
    for (let part = 0; part < 3; part += 1) await batches.next();
    expect(scenario.requested).toEqual([]);
    await batches.return(undefined);
    expect(scenario.requested).toEqual([idsOf(25).slice(20)]);
  });

  it('requests no comparison if none is missing', async () => {
    const scenario = new Fixture();
    await scenario.batches(idsOf(100));
    expect([scenario.compared, scenario.requested]).toEqual([[], []]);
  });
});
