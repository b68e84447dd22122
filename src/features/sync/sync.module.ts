import { Module } from '@nestjs/common';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { EventsModule } from '../events/events.module.js';
import { HostTokensModule } from '../host-tokens/host-tokens.module.js';
import { IntegrityModule } from '../integrity/integrity.module.js';
import { SetupStateModule } from '../onboarding/setup-state.module.js';
import { ProtectionModule } from '../protection/protection.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { ReposModule } from '../repos/repos.module.js';
import { WorkflowUpdatesModule } from '../workflows/workflow-updates.module.js';
import { BudgetGauges } from './budget-gauges.js';
import { InstallationStanding } from './installation-standing.recorder.js';
import { InstallationSync } from './installation-sync.service.js';
import { InstallationsRepository } from './installations.repository.js';
import { ManualSync } from './manual-sync.service.js';
import { RepositorySync } from './repository-sync.service.js';
import { SetupFollowUp } from './setup-follow-up.service.js';
import { SyncRequestRecorder } from './sync-request.recorder.js';
import { SyncRuns } from './sync-runs.recorder.js';
import { SyncStateReader } from './sync-state.reader.js';
import { SyncController } from './sync.controller.js';
import { Sync } from './sync.service.js';

@Module({
  imports: [
    AuditModule,
    EventsModule,
    HostTokensModule,
    ProtectionModule,
    IntegrityModule,
    ReleasesModule,
    ReposModule,
    SetupStateModule,
    WorkflowUpdatesModule,
    WorkspacesModule,
  ],
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
    SyncRequestRecorder,
    SyncRuns,
    SyncStateReader,
  ],
  exports: [InstallationSync, ManualSync, SetupFollowUp, SyncRequestRecorder],
})
export class SyncModule {}
