import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database, type TenantTx, type Viewer } from '../../../database/database.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import type { Page, PageRequest } from '../../../http/pagination/page-request.js';
import { ReposReader } from '../../../workspaces/repos.reader.js';
import { FreezesReader } from './freezes-in-force.reader.js';
import type { ReleaseCard } from './release-card.js';
import { ReleaseCardBatches } from './release-card-batches.service.js';
import { ReleaseCards } from './release-cards.reader.js';
import { ReleaseVersions } from './release-versions.reader.js';
import { ShownReleases } from './stale-releases.service.js';

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
