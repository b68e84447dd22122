import { Injectable } from '@nestjs/common';
import { AppCredentialsProvider } from '../../config/app-credentials.js';
import { GitHubGateway } from '../../github/github-gateway.js';
import { JobHandler } from '../../jobs/job-handlers.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { WorkspacesQueries } from '../../workspaces/workspaces.queries.js';
import { InstallationSyncService } from './installation-sync.service.js';
import { RepositorySyncService } from './repository-sync.service.js';

/** Runs the jobs that reconcile workspaces with GitHub. */
@Injectable()
export class SyncJobs {
  constructor(
    private readonly workspaces: WorkspacesQueries,
    private readonly installations: InstallationSyncService,
    private readonly repositories: RepositorySyncService,
    private readonly jobs: JobsService,
    private readonly github: GitHubGateway,
    private readonly credentials: AppCredentialsProvider,
  ) {}

  /**
   * Creates the workspaces of unknown installations and enqueues a sync of these only. The first start finds all of them. A later
   * start rarely needs more than the one call that lists them.
   */
  @JobHandler('find-installations')
  async createUnknown(): Promise<void> {
    // Another process was just set up. The job is retried, and by then this process has the credentials, too.
    if (this.credentials.current() === null) throw new Error('This process has no credentials of the app yet.');
    const { value: listed } = await this.github.installations.list();
    for (const installation of listed) {
      if (installation.accountType === 'Enterprise') continue;
      if ((await this.workspaces.findByInstallation(installation.id)) !== null) continue;
      // Enqueued first. If the process stops in between, the installation is still read, because the job exists before the workspace.
      await this.jobs.enqueueGlobal('sync-installation', { installationId: installation.id });
      await this.installations.findOrCreateWorkspace(installation);
    }
  }

  /** Enqueues a sync of every installation: those that GitHub lists and those that are stored. */
  @JobHandler('sync-all-installations')
  async enqueueAll(): Promise<void> {
    // Without credentials of the app GitHub cannot be called.
    if (this.credentials.current() === null) return;
    const { value: known } = await this.github.installations.list();
    const ids = new Set([
      ...known.map(({ id }) => id),
      ...(await this.workspaces.listInstalled()).map(({ installationId }) => installationId),
    ]);
    for (const installationId of ids) await this.jobs.enqueueGlobal('sync-installation', { installationId });
  }
}
