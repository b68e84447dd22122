import { Injectable } from '@nestjs/common';
import { Database, type Viewer } from '../../database/database.js';
import { appNotInstalled } from '../../http/errors/domain-error.js';
import { ReadableRepositoriesService } from '../../workspaces/readable-repositories.service.js';
import { InstallationsRepository } from './installations.repository.js';
import { type RequestedSyncRun, SyncRunsRepository } from './sync-runs.repository.js';
import { type SyncState, SyncQueries } from './sync.queries.js';

/** Lets people have a workspace, or one repository of it, read anew. */
@Injectable()
export class SyncService {
  constructor(
    private readonly database: Database,
    private readonly viewed: ReadableRepositoriesService,
    private readonly installations: InstallationsRepository,
    private readonly runs: SyncRunsRepository,
    private readonly state: SyncQueries,
  ) {}

  async read(viewer: Viewer): Promise<SyncState> {
    return this.database.asViewer(viewer, (tx) => this.state.read(tx));
  }

  /**
   * Answers the run that reads it, which begins now or once the one under way has ended. Refuses with `not_found` a
   * repository that the viewer may not read, and with `conflict` where the app does not reach the workspace.
   */
  async start(viewer: Viewer, repositoryId: string | null): Promise<RequestedSyncRun> {
    if (repositoryId !== null) await this.viewed.get(viewer, repositoryId);
    return this.database.inTenant(viewer.orgId, async (tx) => {
      if ((await this.installations.findActiveInstallation(tx)) === null) throw appNotInstalled();
      return this.runs.request(tx, repositoryId);
    });
  }
}
