import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database, type TenantTx, type Viewer } from '../../../database/database.js';
import { DomainError, noSuchRelease } from '../../../http/errors/domain-error.js';
import type { Page, PageRequest } from '../../../http/pagination/pagination.dto.js';
import { ReposReader } from '../../../workspaces/repositories.repository.js';
import { ActiveReleases, type OutcomeCounts, type ReleaseFilter, ReleaseVersions } from './release-search.queries.js';
import { FreezesReader, type ReleaseCard, ReleaseCards } from './release-summaries.queries.js';
import { ShownReleases } from './stale-releases.service.js';

const BATCH = 250;

/** Reads any number of releases in the memory of a few. */
@Injectable()
export class ReleaseCardBatches {
  constructor(
    private readonly database: Database,
    private readonly cards: ReleaseCards,
    private readonly clock: Clock,
  ) {}

  /** In the order of the ids. A transaction for each batch: a reader who takes hours over the whole holds none open. */
  async *read(viewer: Viewer, ids: readonly string[]): AsyncGenerator<readonly ReleaseCard[]> {
    for (let from = 0; from < ids.length; from += BATCH) {
      const batch = ids.slice(from, from + BATCH);
      yield await this.database.readAsViewer(viewer, (tx) => this.cards.list(tx, batch, this.clock.now()));
    }
  }
}

/** The releases of a workspace that are on their way, those that changed last first. */
@Injectable()
export class Dashboard {
  constructor(
    private readonly database: Database,
    private readonly active: ActiveReleases,
    private readonly cards: ReleaseCards,
    private readonly batches: ReleaseCardBatches,
    private readonly freezes: FreezesReader,
    private readonly shown: ShownReleases,
    private readonly clock: Clock,
  ) {}

  /** A page of what is stored; what of it is too old is read again in the background. */
  async readPage(
    viewer: Viewer,
    filter: ReleaseFilter,
    page: PageRequest,
  ): Promise<{ readonly releases: readonly ReleaseCard[]; readonly counts: OutcomeCounts }> {
    const now = this.clock.now();
    const { found, counts } = await this.database.readAsViewer(viewer, async (tx) => {
      const freezes = await this.freezes.listInForce(tx, now);
      const { ids, counts: all } = await this.active.find(tx, filter, page, { freezes, now });
      return { found: await this.cards.listDated(tx, ids, freezes, now), counts: all };
    });
    await this.shown.askAfterReading(viewer.orgId, found);
    return { releases: found.map(({ card }) => card), counts };
  }

  /** All of them, as they stood in one moment; what each shows is read batch by batch. */
  async readAll(
    viewer: Viewer,
    filter: ReleaseFilter,
  ): Promise<{ readonly batches: AsyncIterable<readonly ReleaseCard[]>; readonly counts: OutcomeCounts }> {
    const now = this.clock.now();
    const found = await this.database.readAsViewer(viewer, async (tx) =>
      this.active.find(tx, filter, null, { freezes: await this.freezes.listInForce(tx, now), now }),
    );
    return { batches: this.batches.read(viewer, found.ids), counts: found.counts };
  }
}

/** Whose releases are asked for, and which of them. */
export interface ReleaseListRequest {
  /** As `owner/name`. */
  readonly repository: string;
  /** A part of a version, whatever its case; null is any. */
  readonly search: string | null;
}

/** Every release of a repository, shipped and cancelled ones included, the newest version first. */
@Injectable()
export class ReleaseList {
  constructor(
    private readonly database: Database,
    private readonly repos: ReposReader,
    private readonly versions: ReleaseVersions,
    private readonly cards: ReleaseCards,
    private readonly freezes: FreezesReader,
    private readonly shown: ShownReleases,
    private readonly batches: ReleaseCardBatches,
    private readonly clock: Clock,
  ) {}

  /** Refuses with `not_found` a repository that the viewer may not read. */
  async readPage(viewer: Viewer, asked: ReleaseListRequest, page: PageRequest): Promise<Page<ReleaseCard>> {
    const now = this.clock.now();
    const { found, total } = await this.database.readAsViewer(viewer, async (tx) => {
      const matching = await this.versions.find(tx, await this.findRepository(tx, asked), asked.search, page);
      const freezes = await this.freezes.listInForce(tx, now);
      return { found: await this.cards.listDated(tx, matching.ids, freezes, now), total: matching.total };
    });
    await this.shown.askAfterReading(
      viewer.orgId,
      found.filter(({ card }) => card.outcome !== null),
    );
    return { items: found.map(({ card }) => card), total };
  }

  /** All of them, by the versions of one moment; refuses with `not_found` a repository that the viewer may not read. */
  async readAll(viewer: Viewer, asked: ReleaseListRequest): Promise<AsyncIterable<readonly ReleaseCard[]>> {
    const { ids } = await this.database.readAsViewer(viewer, async (tx) =>
      this.versions.find(tx, await this.findRepository(tx, asked), asked.search, null),
    );
    return this.batches.read(viewer, ids);
  }

  private async findRepository(tx: TenantTx, { repository }: ReleaseListRequest): Promise<string> {
    const found = await this.repos.findByName(tx, repository);
    if (!found) throw new DomainError('not_found', 'There is no such repository.');
    return found.id;
  }
}

/** Shows one release as lists do. */
@Injectable()
export class ReleaseCardView {
  constructor(
    private readonly database: Database,
    private readonly cards: ReleaseCards,
    private readonly clock: Clock,
  ) {}

  async read(viewer: Viewer, releaseId: string): Promise<ReleaseCard> {
    const [card] = await this.database.asViewer(viewer, (tx) => this.cards.list(tx, [releaseId], this.clock.now()));
    if (!card) throw noSuchRelease();
    return card;
  }
}
