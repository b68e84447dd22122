import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { RepositoriesModule } from '../repositories/repositories.module.js';
import { BudgetGauges } from './github-budget.metrics.js';
import { InstallationSync } from './installation-sync.service.js';
import { InstallationsRepository, InstallationStanding } from './installations.repository.js';
import { SetupFollowUp } from './repository-follow-up.service.js';
import { RepositorySync } from './repository-sync.service.js';
import { SyncRuns } from './sync-runs.repository.js';
import { SyncController } from './sync.controller.js';
import { Sync } from './sync.jobs.js';
import { SyncStateReader } from './sync.queries.js';
import { ManualSync } from './sync.service.js';

@Module({
  imports: [AuditModule, EventsModule, RepositoriesModule, ReleasesModule, WorkspacesModule],
  controllers: [SyncController],
  providers: [
    BudgetGauges,
    InstallationStanding,
    InstallationSync,
    InstallationsRepository,
    ManualSync,
    RepositorySync,
    SetupFollowUp,
    Sync,
    SyncRuns,
    SyncStateReader,
  ],
  exports: [InstallationSync, ManualSync, SetupFollowUp],
})
export class SyncModule {}
