import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AppCredentialsProvider } from '../../config/app-credentials.js';
import { GitHubGateway } from '../../github/github-gateway.js';
import { JobHandlers } from '../../jobs/job-handlers.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { WorkspacesQueries } from '../../workspaces/workspaces.queries.js';
import { InstallationSyncService } from './installation-sync.service.js';
import { RepositorySyncService } from './repository-sync.service.js';

/** Runs the jobs that reconcile workspaces with GitHub. */
@Injectable()
export class SyncJobs implements OnModuleInit {
  constructor(
    private readonly workspaces: WorkspacesQueries,
    private readonly installations: InstallationSyncService,
    private readonly repositories: RepositorySyncService,
    private readonly jobs: JobsService,
    private readonly github: GitHubGateway,
    private readonly handlers: JobHandlers,
    private readonly credentials: AppCredentialsProvider,
  ) {}

  onModuleInit(): void {
    this.handlers.register('sync-all-installations', () => this.enqueueAll());
    this.handlers.register('find-installations', () => this.createUnknown());
    this.handlers.register('sync-installation', (job) => this.installations.sync(job));
    this.handlers.register('sync-repository', ({ orgId, repositoryId }) => this.repositories.sync(orgId, repositoryId));
  }

  /**
   * Makes the workspaces of installations that are not known yet, and asks for these alone to be read: at the first start that is all of
   * them, and at any later one hardly ever more than one call.
   */
  private async createUnknown(): Promise<void> {
    // Another process was set up a moment ago: the job is tried again, by when this one knows it too.
    if (this.credentials.current() === null) throw new Error('This process has no credentials of the app yet.');
    const { value: listed } = await this.github.installations.list();
    for (const installation of listed) {
      if (installation.accountType === 'Enterprise') continue;
      if ((await this.workspaces.findByInstallation(installation.id)) !== null) continue;
      // First, so that one which is known from then on is also read where this ends in between.
      await this.jobs.enqueueGlobal('sync-installation', { installationId: installation.id });
      await this.installations.findOrCreateWorkspace(installation);
    }
  }

  /** Enqueues a sync of every installation: those that GitHub lists and those that are stored. */
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
