import { Injectable } from '@nestjs/common';
import { Database, type TenantTx, type Viewer } from '../../database/database.js';
import { EvidencedReleases } from './evidenced-releases.reader.js';
import { changeOf, judged, resultsOf, type JudgedRelease } from './judged-release.js';
import type { QualityFilter } from './quality-filter.js';
import { QualityReleases } from './quality-releases.reader.js';
import type { ReleaseGroup } from './release-group.js';

const BATCH = 50;

/** Releases with their evidence and what that is worth. */
@Injectable()
export class ReleaseGroups {
  constructor(
    private readonly database: Database,
    private readonly evidenced: EvidencedReleases,
    private readonly releases: QualityReleases,
  ) {}

  /**
   * All groups that match at this moment, in the order of the list and in the memory of a few. Each is as it stands when
   * its turn comes, and whoever takes hours over them holds no transaction open.
   */
  async *stream(viewer: Viewer, filter: QualityFilter): AsyncGenerator<ReleaseGroup> {
    const { ids } = await this.database.asViewer(viewer, (tx) => this.evidenced.find(tx, filter, null));
    for await (const batch of this.batches(viewer, ids)) yield* batch;
  }

  /** The same of ids that were found already, batch by batch. */
  async *batches(viewer: Viewer, ids: readonly string[]): AsyncGenerator<readonly ReleaseGroup[]> {
    for (let from = 0; from < ids.length; from += BATCH) {
      const batch = ids.slice(from, from + BATCH);
      yield await this.database.asViewer(viewer, (tx) => this.list(tx, batch));
    }
  }

  /** Those of the releases that there are, in the order of the ids. */
  async list(tx: TenantTx, ids: readonly string[]): Promise<readonly ReleaseGroup[]> {
    return (await this.releases.list(tx, ids)).map((release) => groupOf(judged(release)));
  }
}

function groupOf(release: JudgedRelease): ReleaseGroup {
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
    change: change && { ...change, tests: null },
    flaky: null,
    comparison: 'unknown',
    results,
    moreResults: pieces - results.length,
  };
}
