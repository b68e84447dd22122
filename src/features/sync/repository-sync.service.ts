import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import type { GitHubError } from '../../github/transport/github-error.js';
import { JobHandler } from '../../jobs/job-handlers.js';
import type { JobPayload } from '../../jobs/job.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { RepositoriesRepository } from '../../workspaces/repositories.repository.js';
import { DeploymentHoldsService } from '../deployment-holds/deployment-holds.service.js';
import { ReleaseDiscoveryService } from '../releases/discovery/release-discovery.service.js';
import { ReleaseRefreshService } from '../releases/evaluation/release-refresh.service.js';
import { ReleasesQueries } from '../releases/records/releases.queries.js';
import { describeFailure } from './installation-sync.service.js';
import { RepositoryFollowUpService } from './repository-follow-up.service.js';
import type { RepositoryOutcome } from './sync-runs.repository.js';
import { SyncRunsService } from './sync-runs.service.js';

/** Reconciles the releases of a repository with GitHub. */
@Injectable()
export class RepositorySyncService {
  constructor(
    private readonly database: Database,
    private readonly repos: RepositoriesRepository,
    private readonly releases: ReleasesQueries,
    private readonly discovery: ReleaseDiscoveryService,
    private readonly refresh: ReleaseRefreshService,
    private readonly setup: RepositoryFollowUpService,
    private readonly holds: DeploymentHoldsService,
    private readonly jobs: JobsService,
    private readonly runs: SyncRunsService,
    private readonly clock: Clock,
  ) {}

  /** Reads the milestones, all facts that releases use, and the deployments of the repository. */
  @JobHandler('sync-repository')
  async sync({ orgId, repositoryId }: JobPayload<'sync-repository'>): Promise<void> {
    const run = await this.database.inTenant(orgId, (tx) => this.runs.findRunByRepository(tx, repositoryId));
    const note = (outcome: RepositoryOutcome): Promise<void> =>
      this.database.inTenant(orgId, (tx) => this.runs.setRepositoryResult(tx, repositoryId, run, outcome));
    const syncedAt = this.clock.now();
    try {
      await this.reconcile(orgId, repositoryId);
    } catch (error) {
      await note({ failure: describeFailure(error) });
      throw error;
    }
    await note({ syncedAt });
  }

  private async reconcile(orgId: OrgId, repositoryId: string): Promise<void> {
    const repository = await this.database.inTenant(orgId, (tx) => this.repos.find(tx, repositoryId));
    if (!repository?.ref) return;
    await this.refresh.readPolicy(orgId, repository);
    if (repository.holdsPolicyDefault) {
      await this.database.inTenant(orgId, (tx) => this.jobs.enqueue(tx, 'record-policy-default', { orgId }));
    }
    await this.discovery.discover(orgId, repository);
    await this.setup.afterSync(orgId, repositoryId);
    if (repository.managed) {
      await this.database.inTenant(orgId, (tx) =>
        this.jobs.enqueue(tx, 'enqueue-merge-checks', { orgId, repositoryId }),
      );
    }
    const active = await this.database.inTenant(orgId, (tx) => this.releases.listActive(tx, repositoryId));
    const cause = { cause: 'sync', actor: 'service' };
    const failures: GitHubError[] = [];
    // A release that cannot be read must not prevent the reads of others.
    for (const { id, changeable } of active) {
      failures.push(...(await this.refresh.refresh(orgId, id, cause, { hints: changeable })).failures);
    }
    if (active.length > 0) {
      await this.database.inTenant(orgId, (tx) =>
        this.jobs.enqueue(tx, 'reconcile-deployments', { orgId, repositoryId }),
      );
    }
    await this.holds.reconcile(orgId, repository);
    const passing = failures.find(({ isTransient }) => isTransient);
    if (passing) throw passing;
  }
}
