import { Injectable } from '@nestjs/common';
import { Database, type Viewer } from '../../database/database.js';
import { appNotInstalled } from '../../http/errors/domain-error.js';
import { ReadableRepositoriesService } from '../../workspaces/readable-repositories.service.js';
import { InstallationsRepository } from './installations.repository.js';
import { type RequestedSyncRun, SyncRunsService } from './sync-runs.service.js';
import { type SyncState, SyncQueries } from './sync.queries.js';

/** Starts syncs of a workspace or of one repository. */
@Injectable()
export class SyncService {
  constructor(
    private readonly database: Database,
    private readonly viewed: ReadableRepositoriesService,
    private readonly installations: InstallationsRepository,
    private readonly runs: SyncRunsService,
    private readonly state: SyncQueries,
  ) {}

  async read(viewer: Viewer): Promise<SyncState> {
    return this.database.asViewer(viewer, (tx) => this.state.read(tx));
  }

  /**
   * Returns the run, which starts now or when the current one ends. Throws `not_found` if the viewer cannot read the repository,
   * and `conflict` if the app cannot access the organization.
   */
  async start(viewer: Viewer, repositoryId: string | null): Promise<RequestedSyncRun> {
    if (repositoryId !== null) await this.viewed.get(viewer, repositoryId);
    return this.database.inTenant(viewer.orgId, async (tx) => {
      if ((await this.installations.findActiveInstallation(tx)) === null) throw appNotInstalled();
      return this.runs.request(tx, repositoryId);
    });
  }
}
