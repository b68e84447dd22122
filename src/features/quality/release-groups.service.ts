import { Injectable } from '@nestjs/common';
import type { ComparisonStatus } from '../../domain/quality/comparison-status.js';
import { Database, type TenantTx, type Viewer } from '../../database/database.js';
import { ComparisonRequests } from './comparison-requests.recorder.js';
import { EvidencedReleases } from './evidenced-releases.reader.js';
import { changeOf, judged, resultsOf, type JudgedRelease } from './judged-release.js';
import type { QualityFilter } from './quality-filter.js';
import { QualityReleases } from './quality-releases.reader.js';
import type { ReleaseGroup } from './release-group.js';
import { TestComparisonsRepository, type ComparedTests } from './test-comparisons.repository.js';
import { TestComparisons } from './test-comparisons.service.js';
import { basisOf } from './test-tries.js';

/** How many releases are read first. */
const FIRST_BATCH = 25;
/** And later at most: a statement takes about as long for few as for many, since it asks first what the viewer may read. */
const MOST_AT_ONCE = 150;
/** About how many results are held and judged at once, lest others wait: a release may have one, or hundreds. */
const RESULTS_AT_ONCE = 1_000;
/** How many releases are compared before they are shown, of all that are read at once: nobody waits long for the first. */
const COMPARED_FIRST = 20;
/** Of how many others the comparison is asked for. */
const COMPARED_LATER = 1_000;

/** Releases with their evidence and what that is worth. */
@Injectable()
export class ReleaseGroups {
  constructor(
    private readonly database: Database,
    private readonly evidenced: EvidencedReleases,
    private readonly releases: QualityReleases,
    private readonly stored: TestComparisonsRepository,
    private readonly comparisons: TestComparisons,
    private readonly requests: ComparisonRequests,
  ) {}

  /**
   * All groups that match at this moment, in the order of the list and in the memory of a few. Each is as it stands when
   * its turn comes, and whoever takes hours over them holds no transaction open.
   */
  async *stream(viewer: Viewer, filter: QualityFilter): AsyncGenerator<ReleaseGroup> {
    const { ids } = await this.database.asViewer(viewer, (tx) => this.evidenced.find(tx, filter, null));
    for await (const batch of this.batches(viewer, ids)) yield* batch;
  }

  /**
   * The same of ids that were found already, batch by batch. The first few that were not compared yet are compared before they are
   * shown; the rest is shown as `pending`, and compared in the background.
   */
  async *batches(viewer: Viewer, ids: readonly string[]): AsyncGenerator<readonly ReleaseGroup[]> {
    let comparable = COMPARED_FIRST;
    const waiting: string[] = [];
    let size = FIRST_BATCH;
    for (let from = 0; from < ids.length;) {
      const batch = ids.slice(from, from + size);
      from += batch.length;
      const read = (): Promise<readonly ReleaseGroup[]> => this.database.asViewer(viewer, (tx) => this.list(tx, batch));
      const groups = await read();
      size = sizeAfter(groups);
      const pending = pendingAmong(groups);
      const first = pending.slice(0, comparable);
      comparable -= first.length;
      for (const id of first) await this.comparisons.compare(viewer.orgId, id);
      const later = pending.slice(first.length).slice(0, COMPARED_LATER - waiting.length);
      if (later.length > 0) {
        // Together with those before: a request takes the place of the one that still waits.
        waiting.push(...later);
        await this.database.asViewer(viewer, (tx) => this.requests.askFor(tx, waiting));
      }
      yield first.length === 0 ? groups : await read();
    }
  }

  /** Those of the releases that there are, in the order of the ids. */
  async list(tx: TenantTx, ids: readonly string[]): Promise<readonly ReleaseGroup[]> {
    const releases = (await this.releases.list(tx, ids)).map(judged);
    const stored = new Map((await this.stored.list(tx, ids)).map((comparison) => [comparison.releaseId, comparison]));
    return releases.map((release) => {
      const basis = basisOf(release);
      if (basis === null) return groupOf(release, 'unknown', NOT_COMPARED);
      const known = stored.get(release.release.id);
      if (known?.basis !== basis) return groupOf(release, 'pending', NOT_COMPARED);
      const { result } = known;
      return groupOf(release, result.flaky === null && result.change === null ? 'unknown' : 'known', result);
    });
  }
}

/** Those of which a comparison is to be made yet. */
export const pendingAmong = (groups: readonly ReleaseGroup[]): readonly string[] =>
  groups.filter(({ comparison }) => comparison === 'pending').map(({ milestoneId }) => milestoneId);

/** How many releases to read next, if they are as those were that were read last. */
function sizeAfter(groups: readonly ReleaseGroup[]): number {
  const results = groups.reduce((sum, group) => sum + group.results.length, 0);
  if (results === 0) return FIRST_BATCH;
  return Math.max(1, Math.min(MOST_AT_ONCE, Math.floor((RESULTS_AT_ONCE * groups.length) / results)));
}

const NOT_COMPARED: ComparedTests = { change: null, flaky: null };

function groupOf(release: JudgedRelease, comparison: ComparisonStatus, compared: ComparedTests): ReleaseGroup {
  const { id, org, repo, version, stage, pieces } = release.release;
  const change = changeOf(release);
  const results = resultsOf(release);
  return {
    milestoneId: id,
    org,
    repo,
    version,
    stage,
    scorecard: release.scorecard,
    change: change && { ...change, tests: compared.change },
    flaky: compared.flaky,
    comparison,
    results,
    // One may have come between the count and the look.
    moreResults: Math.max(0, pieces - results.length),
  };
}
