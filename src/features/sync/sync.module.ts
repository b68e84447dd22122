import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { DeploymentHoldsModule } from '../deployment-holds/deployment-holds.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { RepositoriesModule } from '../repositories/repositories.module.js';
import { GitHubBudgetMetrics } from './github-budget.metrics.js';
import { InstallationSyncService } from './installation-sync.service.js';
import { InstallationsRepository } from './installations.repository.js';
import { RepositoryFollowUpService } from './repository-follow-up.service.js';
import { RepositorySyncService } from './repository-sync.service.js';
import { SyncRunsRepository } from './sync-runs.repository.js';
import { SyncRunsService } from './sync-runs.service.js';
import { SyncController } from './sync.controller.js';
import { SyncJobs } from './sync.jobs.js';
import { SyncQueries } from './sync.queries.js';
import { SyncService } from './sync.service.js';

/**
 * Webhooks can be lost, and an app may be installed on repositories with a history. A sync reads the present state from
 * GitHub and repairs what is missing. Begin at `sync.service.ts`, then `installation-sync.service.ts` and
 * `repository-sync.service.ts`.
 */
@Module({
  imports: [AuditModule, DeploymentHoldsModule, EventsModule, RepositoriesModule, ReleasesModule, WorkspacesModule],
  controllers: [SyncController],
  providers: [
    GitHubBudgetMetrics,
    InstallationsRepository,
    InstallationSyncService,
    SyncService,
    RepositorySyncService,
    RepositoryFollowUpService,
    SyncJobs,
    SyncRunsService,
    SyncRunsRepository,
    SyncQueries,
  ],
  exports: [InstallationSyncService, SyncService, RepositoryFollowUpService],
})
export class SyncModule {}
