import { Injectable } from '@nestjs/common';
import { Database, type Viewer } from '../../database/database.js';
import { notReached } from '../../http/errors/domain-error.js';
import { ViewedRepositories } from '../../workspaces/readable-repositories.service.js';
import { InstallationsRepository } from './installations.repository.js';
import { type AskedRun, SyncRuns } from './sync-runs.repository.js';
import { type SyncState, SyncStateReader } from './sync.queries.js';

/** Lets people have a workspace, or one repository of it, read anew. */
@Injectable()
export class ManualSync {
  constructor(
    private readonly database: Database,
    private readonly viewed: ViewedRepositories,
    private readonly installations: InstallationsRepository,
    private readonly runs: SyncRuns,
    private readonly state: SyncStateReader,
  ) {}

  async read(viewer: Viewer): Promise<SyncState> {
    return this.database.asViewer(viewer, (tx) => this.state.read(tx));
  }

  /**
   * Answers the run that reads it, which begins now or once the one under way has ended. Refuses with `not_found` a
   * repository that the viewer may not read, and with `conflict` where the app does not reach the workspace.
   */
  async start(viewer: Viewer, repositoryId: string | null): Promise<AskedRun> {
    if (repositoryId !== null) await this.viewed.get(viewer, repositoryId);
    return this.database.inTenant(viewer.orgId, async (tx) => {
      if ((await this.installations.findReached(tx)) === null) throw notReached();
      return this.runs.ask(tx, repositoryId);
    });
  }
}
