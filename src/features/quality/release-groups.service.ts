import { setImmediate as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { Database, type TenantTransaction, type Viewer } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import type { ComparisonStatus } from '../../domain/quality/test-results.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { type RawRelease, QualityReleasesQueries, PolicyCache, parseRelease } from './quality-releases.queries.js';
import { QualitySearchQueries, type QualityFilter } from './quality-search.queries.js';
import {
  buildReleaseChange,
  isTested,
  evaluateQuality,
  type ReleaseQuality,
  type ReleaseGroup,
  toQualityResults,
} from './release-quality.js';
import { comparisonKey } from './tests/test-attempts.js';
import {
  type ComparedTests,
  type StoredComparison,
  TestComparisonsRepository,
} from './tests/test-comparisons.repository.js';
import { TestComparisonsService } from './tests/test-comparisons.service.js';

/** What is read in turns. */
interface Turns<Batch> {
  /** How many ids are read in the first turn. */
  readonly first: number;
  readonly read: (ids: readonly string[]) => Promise<Batch>;
  /** How many to read in a turn, by what an earlier one brought. */
  readonly sizeAfter: (batch: Batch) => number;
}

/** Reads the ids in turns, each while the one before is being looked at; who stops waits for the turn that is under way. */
export async function* prefetchBatches<Batch>(
  ids: readonly string[],
  { first, read, sizeAfter }: Turns<Batch>,
): AsyncGenerator<Batch> {
  let from = 0;
  const begin = (size: number): Promise<Batch> | null => {
    const turn = ids.slice(from, from + size);
    from += turn.length;
    if (turn.length === 0) return null;
    const reading = read(turn);
    // That it failed is told when its turn comes; until then nobody would hear of it, and Node would end the process.
    reading.catch(() => undefined);
    return reading;
  };
  for (let reading = begin(first); reading !== null;) {
    const batch = await reading;
    reading = begin(sizeAfter(batch));
    try {
      yield batch;
    } finally {
      await reading?.catch(() => undefined);
    }
  }
}

/** How many releases are read first. */
const FIRST_BATCH = 25;
/**
 * And later at most: each statement asks first what the viewer may read, which takes half a millisecond for few as for many. More would
 * only take more memory, and hold others up for longer.
 */
const MOST_AT_ONCE = 500;
/** About how many uploads are read at once: a release may have one, or hundreds. */
const UPLOADS_AT_ONCE = 1_500;
/** About how many are judged at once, lest others wait, and lest what they are judged by outlives a collection of garbage. */
const JUDGED_AT_ONCE = 30;
/** How long what was read may wait for its turn, in milliseconds. */
const KEPT_MS = 10_000;
/** How many releases are compared before they are shown, of all that are read at once: nobody waits long for the first. */
const COMPARED_FIRST = 20;
/** How many at once, each on a connection of its own: a comparison waits for the database most of its time. */
const COMPARED_AT_ONCE = 4;
/** Of how many others the comparison is asked for. */
const COMPARED_LATER = 1_000;

/** A release as it was read, and what is known of its tests. */
interface ReadRelease {
  readonly release: RawRelease;
  readonly stored: StoredComparison | null;
}

interface ReadBatch {
  /** No later than any of it was read. */
  readonly at: Date;
  readonly releases: readonly ReadRelease[];
}

/** Releases with their evidence and what that is worth. */
@Injectable()
export class ReleaseGroupsService {
  constructor(
    private readonly database: Database,
    private readonly evidenced: QualitySearchQueries,
    private readonly releases: QualityReleasesQueries,
    private readonly stored: TestComparisonsRepository,
    private readonly comparisons: TestComparisonsService,
    private readonly jobs: JobsService,
    private readonly clock: Clock,
  ) {}

  /**
   * All groups that match at this moment, in the order of the list and in the memory of a few. Each is as it stands when
   * its turn comes, within seconds, and whoever takes hours over them holds no transaction open.
   */
  async *stream(viewer: Viewer, filter: QualityFilter): AsyncGenerator<ReleaseGroup> {
    const { ids } = await this.database.asViewer(viewer, (tx) => this.evidenced.find(tx, filter, null));
    for await (const batch of this.batches(viewer, ids)) for (const group of batch) yield group;
  }

  /**
   * The same of ids that were found already, batch by batch. The first few that were not compared yet are compared before they are
   * shown; the rest is shown as `pending`, and compared in the background.
   */
  async *batches(viewer: Viewer, ids: readonly string[]): AsyncGenerator<readonly ReleaseGroup[]> {
    let comparable = COMPARED_FIRST;
    const waiting: string[] = [];
    const policies = new PolicyCache();
    const read = (of: readonly string[]): Promise<ReadBatch> => this.readBatch(viewer, of, policies);
    for await (const batch of prefetchBatches(ids, { first: FIRST_BATCH, read, sizeAfter })) {
      const later: string[] = [];
      try {
        for (const part of partsOf(batch.releases)) {
          await pause();
          const again = async (): Promise<readonly ReleaseGroup[]> =>
            (await read(part.map(idOf))).releases.map(groupOf);
          const groups = this.isOld(batch) ? await again() : part.map(groupOf);
          const pending = pendingAmong(groups);
          const first = pending.slice(0, comparable);
          comparable -= first.length;
          await this.compare(viewer.orgId, first);
          later.push(...pending.slice(first.length));
          yield first.length === 0 ? groups : await again();
        }
      } finally {
        // Also where whoever reads them leaves, who was shown some as pending.
        const more = later.slice(0, COMPARED_LATER - waiting.length);
        if (more.length > 0) {
          // Together with those before: a request takes the place of the one that still waits.
          waiting.push(...more);
          await this.database.asViewer(viewer, (tx) =>
            this.jobs.enqueue(tx, 'compare-tests', { orgId: viewer.orgId, releaseIds: waiting }),
          );
        }
      }
    }
  }

  /** Those of the releases that there are, in the order of the ids. */
  async list(tx: TenantTransaction, ids: readonly string[]): Promise<readonly ReleaseGroup[]> {
    return (await this.read(tx, ids)).map(groupOf);
  }

  private async read(
    tx: TenantTransaction,
    ids: readonly string[],
    policies = new PolicyCache(),
  ): Promise<readonly ReadRelease[]> {
    const releases = await this.releases.list(tx, ids, policies);
    const stored = new Map((await this.stored.list(tx, ids)).map((comparison) => [comparison.releaseId, comparison]));
    return releases.map((release) => ({ release, stored: stored.get(release.id) ?? null }));
  }

  private async compare(orgId: OrgId, ids: readonly string[]): Promise<void> {
    for (let from = 0; from < ids.length; from += COMPARED_AT_ONCE) {
      const some = ids.slice(from, from + COMPARED_AT_ONCE);
      await Promise.all(some.map((id) => this.comparisons.compare(orgId, id)));
    }
  }

  private async readBatch(viewer: Viewer, ids: readonly string[], policies: PolicyCache): Promise<ReadBatch> {
    const at = this.clock.now();
    return { at, releases: await this.database.asViewer(viewer, (tx) => this.read(tx, ids, policies)) };
  }

  /** Whether whoever reads the file took so long that it has to be read anew. */
  private isOld({ at }: ReadBatch): boolean {
    return this.clock.now().getTime() - at.getTime() > KEPT_MS;
  }
}

/** Those of which a comparison is to be made yet. */
export const pendingAmong = (groups: readonly ReleaseGroup[]): readonly string[] =>
  groups.filter(({ comparison }) => comparison === 'pending').map(({ milestoneId }) => milestoneId);

/** How many releases to read next, if they are as those were that were read last. */
function sizeAfter({ releases }: ReadBatch): number {
  const uploads = releases.reduce((sum, { release }) => sum + release.packed.uploads.length, 0);
  if (uploads === 0) return FIRST_BATCH;
  return Math.max(1, Math.min(MOST_AT_ONCE, Math.floor((UPLOADS_AT_ONCE * releases.length) / uploads)));
}

/** As many at a time as are judged at once. */
function* partsOf(releases: readonly ReadRelease[]): Generator<readonly ReadRelease[]> {
  let [from, uploads] = [0, 0];
  for (const [at, { release }] of releases.entries()) {
    uploads += release.packed.uploads.length;
    if (uploads < JUDGED_AT_ONCE) continue;
    yield releases.slice(from, at + 1);
    [from, uploads] = [at + 1, 0];
  }
  if (from < releases.length) yield releases.slice(from);
}

const idOf = ({ release: { id } }: ReadRelease): string => id;

const NOT_COMPARED: ComparedTests = { change: null, flaky: null };

function groupOf({ release, stored }: ReadRelease): ReleaseGroup {
  const of = evaluateQuality(parseRelease(release));
  // What a comparison rests on is a digest, which is worth its time only where there is one to hold it against.
  if (stored === null) return groupWith(of, isTested(of) ? 'pending' : 'unknown', NOT_COMPARED);
  const basis = comparisonKey(of);
  if (basis === null) return groupWith(of, 'unknown', NOT_COMPARED);
  if (stored.basis !== basis) return groupWith(of, 'pending', NOT_COMPARED);
  const { result } = stored;
  return groupWith(of, result.flaky === null && result.change === null ? 'unknown' : 'known', result);
}

function groupWith(of: ReleaseQuality, comparison: ComparisonStatus, compared: ComparedTests): ReleaseGroup {
  const { id, org, repo, version, stage, pieces } = of.release;
  const change = buildReleaseChange(of);
  const results = toQualityResults(of);
  return {
    milestoneId: id,
    org,
    repo,
    version,
    stage,
    scorecard: of.scorecard,
    change: change && { ...change, tests: compared.change },
    flaky: compared.flaky,
    comparison,
    results,
    // One may have come between the count and the look.
    moreResults: Math.max(0, pieces - results.length),
  };
}
