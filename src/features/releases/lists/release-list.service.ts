import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database, type TenantTransaction, type Viewer } from '../../../database/database.js';
import { DomainError, releaseNotFound } from '../../../http/errors/domain-error.js';
import type { Page, PageRequest } from '../../../http/pagination/pagination.dto.js';
import { RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import {
  ReleaseSearchQueries,
  type OutcomeCounts,
  type ReleaseFilter,
  ReleaseVersions,
} from './release-search.queries.js';
import { ReleaseSummariesQueries, type ReleaseSummaryDto } from './release-summaries.queries.js';
import { StaleReleasesService } from './stale-releases.service.js';

const BATCH = 250;

/** Whose releases are asked for, and which of them. */
export interface ReleaseListRequest {
  /** As `owner/name`. */
  readonly repository: string;
  /** A part of a version, whatever its case; null is any. */
  readonly search: string | null;
}

/** The releases of a workspace that are on their way, those that changed last first. Every release of a repository, shipped and cancelled ones included, the newest version first. Shows one release as lists do. Reads any number of releases in the memory of a few. */
@Injectable()
export class ReleaseListService {
  constructor(
    private readonly database: Database,
    private readonly active: ReleaseSearchQueries,
    private readonly cards: ReleaseSummariesQueries,
    private readonly shown: StaleReleasesService,
    private readonly clock: Clock,
    private readonly repos: RepositoriesRepository,
    private readonly versions: ReleaseVersions,
  ) {}

  /** A page of what is stored; what of it is too old is read again in the background. */
  async listPage(
    viewer: Viewer,
    filter: ReleaseFilter,
    page: PageRequest,
  ): Promise<{ readonly releases: readonly ReleaseSummaryDto[]; readonly counts: OutcomeCounts }> {
    const now = this.clock.now();
    const { found, counts } = await this.database.readOnlyAsViewer(viewer, async (tx) => {
      const freezes = await this.cards.listInForce(tx, now);
      const { ids, counts: all } = await this.active.find(tx, filter, page, { freezes, now });
      return { found: await this.cards.listDated(tx, ids, freezes, now), counts: all };
    });
    await this.shown.askAfterReading(viewer.orgId, found);
    return { releases: found.map(({ card }) => card), counts };
  }

  /** All of them, as they stood in one moment; what each shows is read batch by batch. */
  async listAll(
    viewer: Viewer,
    filter: ReleaseFilter,
  ): Promise<{ readonly batches: AsyncIterable<readonly ReleaseSummaryDto[]>; readonly counts: OutcomeCounts }> {
    const now = this.clock.now();
    const found = await this.database.readOnlyAsViewer(viewer, async (tx) =>
      this.active.find(tx, filter, null, { freezes: await this.cards.listInForce(tx, now), now }),
    );
    return { batches: this.readInBatches(viewer, found.ids), counts: found.counts };
  }

  /** Refuses with `not_found` a repository that the viewer may not read. */
  async listPageOfRepository(
    viewer: Viewer,
    asked: ReleaseListRequest,
    page: PageRequest,
  ): Promise<Page<ReleaseSummaryDto>> {
    const now = this.clock.now();
    const { found, total } = await this.database.readOnlyAsViewer(viewer, async (tx) => {
      const matching = await this.versions.find(tx, await this.findRepository(tx, asked), asked.search, page);
      const freezes = await this.cards.listInForce(tx, now);
      return { found: await this.cards.listDated(tx, matching.ids, freezes, now), total: matching.total };
    });
    await this.shown.askAfterReading(
      viewer.orgId,
      found.filter(({ card }) => card.outcome !== null),
    );
    return { items: found.map(({ card }) => card), total };
  }

  /** All of them, by the versions of one moment; refuses with `not_found` a repository that the viewer may not read. */
  async listAllOfRepository(
    viewer: Viewer,
    asked: ReleaseListRequest,
  ): Promise<AsyncIterable<readonly ReleaseSummaryDto[]>> {
    const { ids } = await this.database.readOnlyAsViewer(viewer, async (tx) =>
      this.versions.find(tx, await this.findRepository(tx, asked), asked.search, null),
    );
    return this.readInBatches(viewer, ids);
  }

  private async findRepository(tx: TenantTransaction, { repository }: ReleaseListRequest): Promise<string> {
    const found = await this.repos.findByName(tx, repository);
    if (!found) throw new DomainError('not_found', 'There is no such repository.');
    return found.id;
  }

  async get(viewer: Viewer, releaseId: string): Promise<ReleaseSummaryDto> {
    const [card] = await this.database.asViewer(viewer, (tx) => this.cards.list(tx, [releaseId], this.clock.now()));
    if (!card) throw releaseNotFound();
    return card;
  }

  /** In the order of the ids. A transaction for each batch: a reader who takes hours over the whole holds none open. */
  async *readInBatches(viewer: Viewer, ids: readonly string[]): AsyncGenerator<readonly ReleaseSummaryDto[]> {
    for (let from = 0; from < ids.length; from += BATCH) {
      const batch = ids.slice(from, from + BATCH);
      yield await this.database.readOnlyAsViewer(viewer, (tx) => this.cards.list(tx, batch, this.clock.now()));
    }
  }
}
