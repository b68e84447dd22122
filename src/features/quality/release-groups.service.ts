import { setImmediate as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { Database, type TenantTransaction, type Viewer } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import type { LongRead } from '../../database/replica.js';
import type { ComparisonStatus } from '../../domain/quality/test-results.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { type RawRelease, QualityReleasesQueries, PolicyCache, parseRelease } from './quality-releases.queries.js';
import { QualitySearchQueries } from './quality-search.queries.js';
import type { QualityFilter, ReleaseGroupDto } from './quality.dto.js';
import { ReleasesQueries } from '../releases/records/releases.queries.js';
import {
  buildReleaseChange,
  isTested,
  evaluateQuality,
  type ReleaseQuality,
  toQualityResults,
} from './release-quality.js';
import { comparisonKey } from './tests/test-attempts.js';
import {
  type ComparedTests,
  type StoredComparison,
  TestComparisonsRepository,
} from './tests/test-comparisons.repository.js';
import { TestComparisonsService } from './tests/test-comparisons.service.js';

/** How ids are read in batches. */
interface Turns<Batch> {
  /** The number of ids in the first batch. */
  readonly first: number;
  readonly read: (ids: readonly string[]) => Promise<Batch>;
  /** Returns the number of ids in a batch, by the result of an earlier one. */
  readonly sizeAfter: (batch: Batch) => number;
}

/** Reads the ids in batches, each while the caller uses the previous one. A caller that stops waits for the running read. */
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
    // The error is thrown when the batch is used. Without this handler Node would end the process because of an unhandled
    // rejection.
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

/** The number of releases in the first batch. */
const FIRST_BATCH = 25;
/**
 * The maximum of later batches. Each statement first checks what the viewer can read, which takes half a millisecond for few and
 * for many ids. A larger batch would only need more memory and delay others.
 */
const MOST_AT_ONCE = 500;
/** About how many uploads are read at once. A release may have one or hundreds. */
const UPLOADS_AT_ONCE = 1_500;
/**
 * About how many uploads are evaluated at once. More would delay other requests and move the objects into the old generation of
 * the garbage collector.
 */
const EVALUATED_AT_ONCE = 30;
/** How long a batch may wait before it is read again, in milliseconds. */
const MAX_BATCH_AGE_MS = 10_000;
/**
 * How many of the releases that are read at once are compared before they are returned, so that the first ones do not wait long.
 */
const COMPARED_FIRST = 20;
/** How many comparisons run at once, each with its own connection. A comparison mostly waits for the database. */
const COMPARED_AT_ONCE = 4;
/** For how many of the others a comparison is enqueued. */
const COMPARED_LATER = 1_000;

/** A release as it was read, with the stored comparison of its tests. */
interface ReadRelease {
  readonly release: RawRelease;
  readonly stored: StoredComparison | null;
}

interface ReadBatch {
  /** The time before the first read of the batch. */
  readonly at: Date;
  readonly releases: readonly ReadRelease[];
}

/** The releases of one export or of one whole list, and how they are read. */
export interface GroupSelection {
  readonly reads: Pick<LongRead<TenantTransaction>, 'read'>;
  readonly ids: readonly string[];
}

/** Reads releases with their evidence and quality. */
@Injectable()
export class ReleaseGroupsService {
  constructor(
    private readonly database: Database,
    private readonly search: QualitySearchQueries,
    private readonly releases: QualityReleasesQueries,
    private readonly predecessors: ReleasesQueries,
    private readonly stored: TestComparisonsRepository,
    private readonly comparisons: TestComparisonsService,
    private readonly jobs: JobsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns all groups that match now, in the order of the list, with memory for a few of them. Each is read within seconds of
   * its use, and a slow client holds no transaction open.
   */
  async *stream(viewer: Viewer, filter: QualityFilter): AsyncGenerator<ReleaseGroupDto> {
    const reads = this.database.openLongRead(viewer);
    const { ids } = await reads.read((tx) => this.search.find(tx, filter, null));
    for await (const batch of this.batches(viewer, { reads, ids })) for (const group of batch) yield group;
  }

  /**
   * Does the same for known ids, in batches. The first few releases without a comparison are compared before they are returned.
   * The others are returned as `pending` and compared by a job.
   */
  async *batches(viewer: Viewer, { reads, ids }: GroupSelection): AsyncGenerator<readonly ReleaseGroupDto[]> {
    let comparable = COMPARED_FIRST;
    const waiting: string[] = [];
    const policies = new PolicyCache();
    const read = async (of: readonly string[]): Promise<ReadBatch> => {
      const at = this.clock.now();
      return { at, releases: await reads.read((tx) => this.read(tx, of, policies)) };
    };
    for await (const batch of prefetchBatches(ids, { first: FIRST_BATCH, read, sizeAfter })) {
      const later: string[] = [];
      try {
        for (const part of splitIntoParts(batch.releases)) {
          await pause();
          // From the primary: a replica may not have the comparison that was just made.
          const again = (): Promise<readonly ReleaseGroupDto[]> =>
            this.database.asViewer(viewer, async (tx) =>
              (await this.read(tx, part.map(getId), policies)).map(buildGroup),
            );
          const groups = this.isOld(batch) ? await again() : part.map(buildGroup);
          const pending = pendingAmong(groups);
          const first = pending.slice(0, comparable);
          comparable -= first.length;
          await this.compare(viewer.orgId, first);
          later.push(...pending.slice(first.length));
          yield first.length === 0 ? groups : await again();
        }
      } finally {
        // Also enqueued if the reader stops, because it has received pending groups.
        const more = later.slice(0, COMPARED_LATER - waiting.length);
        if (more.length > 0) {
          // Includes the earlier ones, because a job replaces the waiting job with the same key.
          waiting.push(...more);
          await this.database.asViewer(viewer, (tx) =>
            this.jobs.enqueue(tx, 'compare-tests', { orgId: viewer.orgId, releaseIds: waiting }),
          );
        }
      }
    }
  }

  /** Lists the existing releases with the scores of those before them, in the order of the ids. */
  async list(tx: TenantTransaction, ids: readonly string[]): Promise<readonly ReleaseGroupDto[]> {
    const read = await this.read(tx, ids);
    const scores = await this.predecessors.listEarlierScores(
      tx,
      read.map(({ release: { id, repositoryId, shippedScorecard } }) => ({
        id,
        repositoryId,
        isShipped: shippedScorecard !== null,
      })),
    );
    return read.map(buildGroup).map((group: Readonly<ReleaseGroupDto>) => ({
      ...group,
      earlierScores: scores.get(group.milestoneId) ?? [],
    }));
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

  /** Whether the batch waited so long for a slow client that it must be read again. */
  private isOld({ at }: ReadBatch): boolean {
    return this.clock.now().getTime() - at.getTime() > MAX_BATCH_AGE_MS;
  }
}

/** Lists the groups whose comparison is not made yet. */
export const pendingAmong = (groups: readonly ReleaseGroupDto[]): readonly string[] =>
  groups.filter(({ comparison }) => comparison === 'pending').map(({ milestoneId }) => milestoneId);

/** Computes how many releases to read next, if they have as many uploads as the last ones. */
function sizeAfter({ releases }: ReadBatch): number {
  const uploads = releases.reduce((sum, { release }) => sum + release.packed.uploads.length, 0);
  if (uploads === 0) return FIRST_BATCH;
  return Math.max(1, Math.min(MOST_AT_ONCE, Math.floor((UPLOADS_AT_ONCE * releases.length) / uploads)));
}

/** Splits the releases into parts of the size that is evaluated at once. */
function* splitIntoParts(releases: readonly ReadRelease[]): Generator<readonly ReadRelease[]> {
  let [from, uploads] = [0, 0];
  for (const [at, { release }] of releases.entries()) {
    uploads += release.packed.uploads.length;
    if (uploads < EVALUATED_AT_ONCE) continue;
    yield releases.slice(from, at + 1);
    [from, uploads] = [at + 1, 0];
  }
  if (from < releases.length) yield releases.slice(from);
}

const getId = ({ release: { id } }: ReadRelease): string => id;

const NOT_COMPARED: ComparedTests = { change: null, flaky: null };

function buildGroup({ release, stored }: ReadRelease): ReleaseGroupDto {
  const of = evaluateQuality(parseRelease(release));
  // The comparison key is a digest, so it is computed only if there is a stored key to compare it with.
  if (stored === null) return groupWith(of, isTested(of) ? 'pending' : 'unknown', NOT_COMPARED);
  const basis = comparisonKey(of);
  if (basis === null) return groupWith(of, 'unknown', NOT_COMPARED);
  if (stored.basis !== basis) return groupWith(of, 'pending', NOT_COMPARED);
  const { result } = stored;
  return groupWith(of, result.flaky === null && result.change === null ? 'unknown' : 'known', result);
}

function groupWith(of: ReleaseQuality, comparison: ComparisonStatus, compared: ComparedTests): ReleaseGroupDto {
  const { id, repositoryId, org, repo, version, stage, itemCount } = of.release;
  const change = buildReleaseChange(of);
  const results = toQualityResults(of);
  return {
    milestoneId: id,
    org,
    repoId: repositoryId,
    repo,
    version,
    stage,
    scorecard: of.scorecard,
    change: change && { ...change, tests: compared.change },
    flaky: compared.flaky,
    comparison,
    results,
    // An item may have been added between the count and the read.
    moreResults: Math.max(0, itemCount - results.length),
  };
}
