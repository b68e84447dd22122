import { Injectable } from '@nestjs/common';
import { Database, type Viewer } from '../../database/database.js';
import type { Page, PageRequest } from '../../http/pagination/pagination.dto.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { QualitySearchQueries } from './quality-search.queries.js';
import type { QualityFilterOptionsDto, QualityFilter, ReleaseGroupDto, ResultListing } from './quality.dto.js';
import { type GroupSelection, pendingAmong, ReleaseGroupsService } from './release-groups.service.js';

/** Reads the quality of the releases of a workspace, most recently received evidence first. */
@Injectable()
export class QualityService {
  constructor(
    private readonly database: Database,
    private readonly search: QualitySearchQueries,
    private readonly groups: ReleaseGroupsService,
    private readonly jobs: JobsService,
  ) {}

  /**
   * `choices` are those of all releases, regardless of the filter and the page. Enqueues the comparison of tests that were not
   * compared yet.
   */
  async readPage(
    viewer: Viewer,
    filter: QualityFilter,
    page: PageRequest,
    results: ResultListing,
  ): Promise<Page<ReleaseGroupDto> & { readonly choices: QualityFilterOptionsDto }> {
    const { items, total, choices } = await this.database.readOnlyAsViewer(viewer, async (tx) => {
      const found = await this.search.find(tx, filter, page);
      return {
        items: await this.groups.list(tx, found.ids),
        total: found.total,
        choices: await this.search.listFilterOptions(tx),
      };
    });
    await this.compareLater(viewer, items);
    return { items: items.map(selectResults(results)), total, choices };
  }

  /**
   * Lists the existing releases that the viewer can read, in the order of the ids. Enqueues the comparison of tests that were not
   * compared yet.
   */
  async listReleases(viewer: Viewer, ids: readonly string[]): Promise<readonly ReleaseGroupDto[]> {
    const groups = await this.database.readOnlyAsViewer(viewer, (tx) => this.groups.list(tx, ids));
    await this.compareLater(viewer, groups);
    return groups;
  }

  /** Returns all matching releases by the ids at one time. Each is read when its turn comes. */
  async readAll(
    viewer: Viewer,
    filter: QualityFilter,
    results: ResultListing,
  ): Promise<{
    readonly batches: AsyncIterable<readonly ReleaseGroupDto[]>;
    readonly choices: QualityFilterOptionsDto;
  }> {
    const reads = this.database.openLongRead(viewer);
    const { ids, choices } = await reads.read(async (tx) => ({
      ids: (await this.search.find(tx, filter, null)).ids,
      choices: await this.search.listFilterOptions(tx),
    }));
    return { batches: this.listBatches(viewer, { reads, ids }, results), choices };
  }

  /** If the process stops before this, the next request that shows them as pending enqueues the comparison. */
  private async compareLater({ orgId }: Viewer, groups: readonly ReleaseGroupDto[]): Promise<void> {
    const releaseIds = pendingAmong(groups);
    if (releaseIds.length === 0) return;
    await this.database.inTenant(orgId, (tx) => this.jobs.enqueue(tx, 'compare-tests', { orgId, releaseIds }));
  }

  private async *listBatches(
    viewer: Viewer,
    selection: GroupSelection,
    results: ResultListing,
  ): AsyncGenerator<readonly ReleaseGroupDto[]> {
    for await (const groups of this.groups.batches(viewer, selection)) yield groups.map(selectResults(results));
  }
}

/** Leaves out the results if they are not listed. The scorecard is derived from them, so they are read anyway. */
const selectResults =
  (listing: ResultListing) =>
  (group: Readonly<ReleaseGroupDto>): ReleaseGroupDto =>
    listing === 'all' ? group : { ...group, results: [], moreResults: group.moreResults + group.results.length };
