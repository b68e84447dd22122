import { Injectable } from '@nestjs/common';
import { Database, type Viewer } from '../../../database/database.js';
import type { Page, PageRequest } from '../../../http/pagination/page-request.js';
import { Jobs } from '../../../jobs/jobs.js';
import type { RepositoryCard } from './repository-card.js';
import { RepositoryCards } from './repository-cards.reader.js';
import { StaleSyncs } from './stale-syncs.reader.js';

const BATCH = 250;

/** The repositories of a workspace, by name. */
@Injectable()
export class RepositoryList {
  constructor(
    private readonly database: Database,
    private readonly cards: RepositoryCards,
    private readonly stale: StaleSyncs,
    private readonly jobs: Jobs,
  ) {}

  /** A page of what is stored; where that is too old, the workspace is read anew in the background. */
  async readPage(viewer: Viewer, search: string | null, page: PageRequest): Promise<Page<RepositoryCard>> {
    const { installationId, ...found } = await this.database.readAsViewer(viewer, async (tx) => {
      const { ids, total } = await this.cards.find(tx, search, page);
      const items = await this.cards.list(tx, ids);
      return { items, total, installationId: await this.stale.findInstallation(tx, items) };
    });
    if (installationId !== null) await this.jobs.enqueueGlobal('sync-installation', { installationId });
    return found;
  }

  /** All that there are at one moment; asked for batch by batch, as a reader may take hours over the whole. */
  async *readAll(viewer: Viewer, search: string | null): AsyncGenerator<readonly RepositoryCard[]> {
    const { ids } = await this.database.readAsViewer(viewer, (tx) => this.cards.find(tx, search, null));
    for (let from = 0; from < ids.length; from += BATCH) {
      yield await this.database.readAsViewer(viewer, (tx) => this.cards.list(tx, ids.slice(from, from + BATCH)));
    }
  }
}
