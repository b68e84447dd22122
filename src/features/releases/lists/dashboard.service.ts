import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database, type Viewer } from '../../../database/database.js';
import type { PageRequest } from '../../../http/pagination/page-request.js';
import { ActiveReleases, type OutcomeCounts, type ReleaseFilter } from './active-releases.reader.js';
import { FreezesReader } from './freezes-in-force.reader.js';
import type { ReleaseCard } from './release-card.js';
import { ReleaseCardBatches } from './release-card-batches.service.js';
import { ReleaseCards } from './release-cards.reader.js';
import { ShownReleases } from './stale-releases.service.js';

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
