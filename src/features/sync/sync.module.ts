import { Module } from '@nestjs/common';
import { ReleasesModule } from '../releases/releases.module.js';
import { ReposModule } from '../repos/repos.module.js';
import { BudgetGauges } from './budget-gauges.js';
import { InstallationReader } from './installation.reader.js';
import { InstallationSync } from './installation-sync.service.js';
import { InstallationsRepository } from './installations.repository.js';
import { RepositorySync } from './repository-sync.service.js';
import { Sync } from './sync.service.js';

@Module({
  imports: [ReleasesModule, ReposModule],
  providers: [BudgetGauges, InstallationReader, InstallationSync, InstallationsRepository, RepositorySync, Sync],
  exports: [InstallationReader],
})
export class SyncModule {}
