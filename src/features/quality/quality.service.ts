import { Injectable } from '@nestjs/common';
import { Database, type Viewer } from '../../database/database.js';
import type { Page, PageRequest } from '../../http/pagination/pagination.dto.js';
import { JobsService } from '../../jobs/jobs.service.js';
import {
  QualitySearchQueries,
  type QualityFilterOptions,
  QualityChoicesReader,
  type QualityFilter,
} from './quality-search.queries.js';
import { pendingAmong, ReleaseGroupsService } from './release-groups.service.js';
import type { ReleaseGroup } from './release-quality.js';

/** The quality of the releases of a workspace, what received evidence last first. */
@Injectable()
export class QualityService {
  constructor(
    private readonly database: Database,
    private readonly evidenced: QualitySearchQueries,
    private readonly groups: ReleaseGroupsService,
    private readonly choices: QualityChoicesReader,
    private readonly jobs: JobsService,
  ) {}

  /**
   * `choices` are those of the whole, whatever the filter and the page. Tests that were not compared by name yet are so in
   * the background.
   */
  async readPage(
    viewer: Viewer,
    filter: QualityFilter,
    page: PageRequest,
  ): Promise<Page<ReleaseGroup> & { readonly choices: QualityFilterOptions }> {
    const { items, total, choices } = await this.database.readOnlyAsViewer(viewer, async (tx) => {
      const found = await this.evidenced.find(tx, filter, page);
      return {
        items: await this.groups.list(tx, found.ids),
        total: found.total,
        choices: await this.choices.read(tx),
      };
    });
    const pending = pendingAmong(items);
    // Where this ends before, the next page that shows them as pending asks for it.
    if (pending.length > 0) {
      const { orgId } = viewer;
      await this.database.inTenant(orgId, (tx) =>
        this.jobs.enqueue(tx, 'compare-tests', { orgId, releaseIds: pending }),
      );
    }
    return { items, total, choices };
  }

  /** All that match in one moment; each is shown as it is when its turn comes. */
  async readAll(
    viewer: Viewer,
    filter: QualityFilter,
  ): Promise<{ readonly batches: AsyncIterable<readonly ReleaseGroup[]>; readonly choices: QualityFilterOptions }> {
    const { ids, choices } = await this.database.readOnlyAsViewer(viewer, async (tx) => ({
      ids: (await this.evidenced.find(tx, filter, null)).ids,
      choices: await this.choices.read(tx),
    }));
    return { batches: this.groups.batches(viewer, ids), choices };
  }
}
