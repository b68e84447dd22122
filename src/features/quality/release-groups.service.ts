import { Injectable } from '@nestjs/common';
import type { ComparisonStatus } from '../../domain/quality/comparison-status.js';
import { Database, type TenantTx, type Viewer } from '../../database/database.js';
import { EvidencedReleases } from './evidenced-releases.reader.js';
import { changeOf, judged, resultsOf, type JudgedRelease } from './judged-release.js';
import type { QualityFilter } from './quality-filter.js';
import { QualityReleases } from './quality-releases.reader.js';
import type { ReleaseGroup } from './release-group.js';
import { TestComparisonsRepository, type ComparedTests } from './test-comparisons.repository.js';
import { TestComparisons } from './test-comparisons.service.js';
import { basisOf } from './test-tries.js';

const BATCH = 50;

/** Releases with their evidence and what that is worth. */
@Injectable()
export class ReleaseGroups {
  constructor(
    private readonly database: Database,
    private readonly evidenced: EvidencedReleases,
    private readonly releases: QualityReleases,
    private readonly stored: TestComparisonsRepository,
    private readonly comparisons: TestComparisons,
  ) {}

  /**
   * All groups that match at this moment, in the order of the list and in the memory of a few. Each is as it stands when
   * its turn comes, and whoever takes hours over them holds no transaction open.
   */
  async *stream(viewer: Viewer, filter: QualityFilter): AsyncGenerator<ReleaseGroup> {
    const { ids } = await this.database.asViewer(viewer, (tx) => this.evidenced.find(tx, filter, null));
    for await (const batch of this.batches(viewer, ids)) yield* batch;
  }

  /** The same of ids that were found already, batch by batch; what was not compared yet is compared first. */
  async *batches(viewer: Viewer, ids: readonly string[]): AsyncGenerator<readonly ReleaseGroup[]> {
    for (let from = 0; from < ids.length; from += BATCH) {
      const batch = ids.slice(from, from + BATCH);
      const read = (): Promise<readonly ReleaseGroup[]> => this.database.asViewer(viewer, (tx) => this.list(tx, batch));
      const groups = await read();
      const pending = pendingAmong(groups);
      for (const id of pending) await this.comparisons.compare(viewer.orgId, id);
      yield pending.length === 0 ? groups : await read();
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
