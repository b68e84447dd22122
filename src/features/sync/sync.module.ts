import { Module } from '@nestjs/common';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { ReposModule } from '../repos/repos.module.js';
import { BudgetGauges } from './budget-gauges.js';
import { InstallationSync } from './installation-sync.service.js';
import { InstallationsRepository } from './installations.repository.js';
import { RepositorySync } from './repository-sync.service.js';
import { SyncRequestRecorder } from './sync-request.recorder.js';
import { Sync } from './sync.service.js';

@Module({
  imports: [ReleasesModule, ReposModule, WorkspacesModule],
  providers: [BudgetGauges, InstallationSync, InstallationsRepository, RepositorySync, Sync, SyncRequestRecorder],
  exports: [InstallationSync, SyncRequestRecorder],
})
export class SyncModule {}
