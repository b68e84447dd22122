import { Injectable } from '@nestjs/common';
import { Database, type TenantTx, type Viewer } from '../../database/database.js';
import { notReached } from '../../http/repository-refusal.js';
import { Jobs } from '../../jobs/jobs.js';
import { ViewedRepositories } from '../repos/viewed-repositories.reader.js';
import { installationJob, repositoryJob } from './sync-jobs.js';
import { InstallationsRepository } from './installations.repository.js';
import { SyncRuns } from './sync-runs.recorder.js';
import { type SyncState, SyncStateReader } from './sync-state.reader.js';

/** Lets people have a workspace, or one repository of it, read anew. */
@Injectable()
export class ManualSync {
  constructor(
    private readonly database: Database,
    private readonly viewed: ViewedRepositories,
    private readonly installations: InstallationsRepository,
    private readonly runs: SyncRuns,
    private readonly state: SyncStateReader,
    private readonly jobs: Jobs,
  ) {}

  async read(viewer: Viewer): Promise<SyncState> {
    return this.database.asViewer(viewer, (tx) => this.state.read(tx));
  }

  /**
   * Answers the id of the run, which is the one under way where there is one. Refuses with `not_found` a repository that
   * the viewer may not read, and with `conflict` where the app does not reach the workspace.
   */
  async start(viewer: Viewer, repositoryId: string | null): Promise<string> {
    if (repositoryId !== null) await this.viewed.get(viewer, repositoryId);
    return this.database.inTenant(viewer.orgId, async (tx) => {
      const installationId = await this.installations.findReached(tx);
      if (installationId === null) throw notReached();
      const run = await this.runs.begin(tx);
      if (run.isNew) await this.enqueue(tx, run.id, installationId, repositoryId);
      return run.id;
    });
  }

  private async enqueue(
    tx: TenantTx,
    runId: string,
    installationId: number,
    repositoryId: string | null,
  ): Promise<void> {
    if (repositoryId === null) {
      await this.jobs.add(tx, 'sync-installation', { installationId }, installationJob(installationId));
      return;
    }
    await this.runs.list(tx, runId, [repositoryId]);
    const options = repositoryJob(installationId, repositoryId);
    await this.jobs.add(tx, 'sync-repository', { orgId: tx.orgId, repositoryId }, options);
  }
}
