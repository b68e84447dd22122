import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database, type TenantTransaction, type Viewer } from '../../../database/database.js';
import type { Page, PageRequest } from '../../../http/pagination/pagination.dto.js';
import { JobsService } from '../../../jobs/jobs.service.js';
import { type RepositorySummaryDto, RepositoriesQueries } from './repositories.queries.js';

const MINUTE_MS = 60_000;
/** Facts live as long as that. */
const LIFETIME_MS = 20 * MINUTE_MS;
/** What a run just before did not mend, another one right after does not either. */
const PAUSE_MS = 5 * MINUTE_MS;

const BATCH = 250;

/** The repositories of a workspace, by name. Tells whether a page showed repositories that nobody has looked at for too long. */
@Injectable()
export class RepositoriesService {
  constructor(
    private readonly database: Database,
    private readonly queries: RepositoriesQueries,
    private readonly jobs: JobsService,
    private readonly clock: Clock,
  ) {}

  /** A page of what is stored; where that is too old, the workspace is read anew in the background. */
  async listPage(viewer: Viewer, search: string | null, page: PageRequest): Promise<Page<RepositorySummaryDto>> {
    const { installationId, ...found } = await this.database.readOnlyAsViewer(viewer, async (tx) => {
      const { ids, total } = await this.queries.find(tx, search, page);
      const items = await this.queries.list(tx, ids);
      return { items, total, installationId: await this.findInstallation(tx, items) };
    });
    if (installationId !== null) await this.jobs.enqueueGlobal('sync-installation', { installationId });
    return found;
  }

  /** All that there are at one moment; asked for batch by batch, as a reader may take hours over the whole. */
  async *listAll(viewer: Viewer, search: string | null): AsyncGenerator<readonly RepositorySummaryDto[]> {
    const { ids } = await this.database.readOnlyAsViewer(viewer, (tx) => this.queries.find(tx, search, null));
    for (let from = 0; from < ids.length; from += BATCH) {
      yield await this.database.readOnlyAsViewer(viewer, (tx) => this.queries.list(tx, ids.slice(from, from + BATCH)));
    }
  }

  /** The installation that is to be read anew; null where there is nothing to read, or it was begun just now. */
  async findInstallation(tx: TenantTransaction, repositories: readonly RepositorySummaryDto[]): Promise<number | null> {
    const now = this.clock.now().getTime();
    const isStale = ({ setupState, lastSyncedAt }: RepositorySummaryDto): boolean =>
      setupState !== 'REMOVED' && setupState !== 'SUSPENDED' && (lastSyncedAt?.getTime() ?? 0) < now - LIFETIME_MS;
    if (!repositories.some(isStale)) return null;
    const [row] = await tx.query<{ readonly installation_id: string }>(
      `select installation_id from organization
       where installation_id is not null and suspended_at is null and not exists (select from sync_run where begun_at > $1)`,
      [new Date(now - PAUSE_MS)],
    );
    return row ? Number(row.installation_id) : null;
  }
}
