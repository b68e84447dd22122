import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import type { GitHubError } from '../../github/transport/github-error.js';
import { Jobs } from '../../jobs/jobs.service.js';
import { ReposReader } from '../../workspaces/repositories.repository.js';
import { ReleaseDiscovery } from '../releases/discovery/release-discovery.service.js';
import { ReleaseRefresh } from '../releases/evaluation/release-refresh.service.js';
import { ReleasesReader } from '../releases/records/releases.queries.js';
import { failureOf } from './installation-sync.service.js';
import { SetupFollowUp } from './repository-follow-up.service.js';
import { type RepositoryOutcome, SyncRuns } from './sync-runs.repository.js';

/** Brings the releases of a repository in line with the host. */
@Injectable()
export class RepositorySync {
  constructor(
    private readonly database: Database,
    private readonly repos: ReposReader,
    private readonly releases: ReleasesReader,
    private readonly discovery: ReleaseDiscovery,
    private readonly refresh: ReleaseRefresh,
    private readonly setup: SetupFollowUp,
    private readonly jobs: Jobs,
    private readonly runs: SyncRuns,
    private readonly clock: Clock,
  ) {}

  /** Reads the repository's milestones, every fact that its releases rest on, and what was deployed meanwhile. */
  async sync(orgId: OrgId, repositoryId: string): Promise<void> {
    const run = await this.database.inTenant(orgId, (tx) => this.runs.findRunOf(tx, repositoryId));
    const note = (outcome: RepositoryOutcome): Promise<void> =>
      this.database.inTenant(orgId, (tx) => this.runs.note(tx, repositoryId, run, outcome));
    const syncedAt = this.clock.now();
    try {
      await this.bringInLine(orgId, repositoryId);
    } catch (error) {
      await note({ failure: failureOf(error) });
      throw error;
    }
    await note({ syncedAt });
  }

  private async bringInLine(orgId: OrgId, repositoryId: string): Promise<void> {
    const repository = await this.database.inTenant(orgId, (tx) => this.repos.find(tx, repositoryId));
    if (!repository?.ref) return;
    await this.refresh.readPolicy(orgId, repository);
    await this.discovery.discover(orgId, repository);
    await this.setup.afterReading(orgId, repositoryId);
    if (repository.managed) {
      await this.database.inTenant(orgId, (tx) => this.jobs.enqueue(tx, 'check-open-heads', { orgId, repositoryId }));
    }
    const active = await this.database.inTenant(orgId, (tx) => this.releases.listActive(tx, repositoryId));
    const cause = { cause: 'sync', actor: 'service' };
    const failures: GitHubError[] = [];
    // One release that cannot be read keeps no other from being read.
    for (const { id, changeable } of active) {
      failures.push(...(await this.refresh.refresh(orgId, id, cause, { hints: changeable })).failures);
    }
    if (active.length > 0) {
      await this.database.inTenant(orgId, (tx) =>
        this.jobs.enqueue(tx, 'look-for-deployments', { orgId, repositoryId }),
      );
    }
    const passing = failures.find(({ isPassing }) => isPassing);
    if (passing) throw passing;
  }
}
