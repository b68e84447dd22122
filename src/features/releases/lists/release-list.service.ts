import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database, type TenantTransaction, type Viewer } from '../../../database/database.js';
import type { LongRead } from '../../../database/replica.js';
import { DomainError, releaseNotFound } from '../../../http/errors/domain-error.js';
import type { Page, PageRequest } from '../../../http/pagination/pagination.dto.js';
import { RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { ReleaseSearchQueries, type ReleaseFilter } from './release-search.queries.js';
import type { OutcomeCountsDto, ReleaseSummaryDto } from './release-list.dto.js';
import { ReleaseSummariesQueries } from './release-summaries.queries.js';
import { StaleReleasesService } from './stale-releases.service.js';

const BATCH = 250;
const BLOCKED: ReleaseFilter = { search: null, outcome: 'blocked', order: 'updated' };
const FIRST_PAGE: PageRequest = { page: 1, pageSize: 10 };

/** The repository whose releases are listed, and the filter. */
export interface ReleaseListRequest {
  /** As `owner/name`. */
  readonly repository: string;
  /** A part of a version, ignoring case; null means all. */
  readonly search: string | null;
}

/**
 * Lists the active releases of a workspace, and all releases of a repository, newest version first. Reads
 * long lists in batches to limit the memory.
 */
@Injectable()
export class ReleaseListService {
  constructor(
    private readonly database: Database,
    private readonly search: ReleaseSearchQueries,
    private readonly summaries: ReleaseSummariesQueries,
    private readonly staleReleases: StaleReleasesService,
    private readonly clock: Clock,
    private readonly repos: RepositoriesRepository,
  ) {}

  /** Returns a page of stored releases. Stale ones are refreshed in the background. */
  async listPage(
    viewer: Viewer,
    filter: ReleaseFilter,
    page: PageRequest,
  ): Promise<{ readonly releases: readonly ReleaseSummaryDto[]; readonly counts: OutcomeCountsDto }> {
    const now = this.clock.now();
    const { releases, counts } = await this.database.readOnlyAsViewer(viewer, (tx) =>
      this.search.readActivePage(tx, filter, page, now),
    );
    await this.staleReleases.enqueueRefreshOnRead(viewer.orgId, releases);
    return { releases: releases.map(({ summary }) => summary), counts };
  }

  /** Counts the blocked ones. Refreshes nothing. */
  async countBlocked(viewer: Viewer): Promise<number> {
    const now = this.clock.now();
    const { counts } = await this.database.readOnlyAsViewer(viewer, async (tx) =>
      this.search.findActive(tx, BLOCKED, FIRST_PAGE, {
        freezes: await this.summaries.listActiveFreezes(tx, now),
        now,
      }),
    );
    return counts.blocked;
  }

  /** Returns all of them by the ids at one time. The content is read batch by batch. */
  async listAll(
    viewer: Viewer,
    filter: ReleaseFilter,
  ): Promise<{ readonly batches: AsyncIterable<readonly ReleaseSummaryDto[]>; readonly counts: OutcomeCountsDto }> {
    const now = this.clock.now();
    const reads = this.database.openLongRead(viewer);
    const { releases, counts } = await reads.read(async (tx) =>
      this.search.findActive(tx, filter, null, { freezes: await this.summaries.listActiveFreezes(tx, now), now }),
    );
    return { batches: this.readInBatches(reads, releases), counts };
  }

  /** Throws `not_found` if the viewer cannot read the repository. */
  async listPageOfRepository(
    viewer: Viewer,
    request: ReleaseListRequest,
    page: PageRequest,
  ): Promise<Page<ReleaseSummaryDto>> {
    const now = this.clock.now();
    const { found, total } = await this.database.readOnlyAsViewer(viewer, async (tx) => {
      const matching = await this.search.findNewestFirst(
        tx,
        await this.findRepository(tx, request),
        request.search,
        page,
      );
      const freezes = await this.summaries.listActiveFreezes(tx, now);
      return { found: await this.summaries.listDated(tx, matching.ids, freezes, now), total: matching.total };
    });
    await this.staleReleases.enqueueRefreshOnRead(
      viewer.orgId,
      found.filter(({ summary }) => summary.outcome !== null),
    );
    return { items: found.map(({ summary }) => summary), total };
  }

  /** Returns all of them by the versions at one time. Throws `not_found` if the viewer cannot read the repository. */
  async listAllOfRepository(
    viewer: Viewer,
    request: ReleaseListRequest,
  ): Promise<AsyncIterable<readonly ReleaseSummaryDto[]>> {
    const reads = this.database.openLongRead(viewer);
    const { ids } = await reads.read(async (tx) =>
      this.search.findNewestFirst(tx, await this.findRepository(tx, request), request.search, null),
    );
    return this.readInBatches(reads, ids);
  }

  private async findRepository(tx: TenantTransaction, { repository }: ReleaseListRequest): Promise<string> {
    const found = await this.repos.findByName(tx, repository);
    if (!found) throw new DomainError('not_found', 'There is no such repository.');
    return found.id;
  }

  async get(viewer: Viewer, releaseId: string): Promise<ReleaseSummaryDto> {
    const [summary] = await this.database.asViewer(viewer, (tx) =>
      this.summaries.list(tx, [releaseId], this.clock.now()),
    );
    if (!summary) throw releaseNotFound();
    return summary;
  }

  /** Reads the releases in the order of the ids. One transaction per batch: a slow client must not hold a transaction open. */
  private async *readInBatches(
    reads: LongRead<TenantTransaction>,
    ids: readonly string[],
  ): AsyncGenerator<readonly ReleaseSummaryDto[]> {
    for (let from = 0; from < ids.length; from += BATCH) {
      const batch = ids.slice(from, from + BATCH);
      yield await reads.read((tx) => this.summaries.list(tx, batch, this.clock.now()));
    }
  }
}
