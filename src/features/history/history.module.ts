import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { DeployedReleaseReader, FreezesAtDeployment } from './deployments/deployment-decisions.service.js';
import { DeploymentsRepository } from './deployments/deployments.repository.js';
import { DeploymentSettlement, Deployments } from './deployments/deployments.service.js';
import { DeploymentRecording, RecordedDeployments } from './deployments/manual-deployments.service.js';
import { Promotion } from './deployments/promotion.service.js';
import { HistoryController } from './history.controller.js';
import { DeploymentJobs } from './history.jobs.js';
import { HistoryRecords } from './history.queries.js';
import { History } from './history.service.js';

@Module({
  imports: [AccountsModule, AuditModule, EventsModule, ReleasesModule, WorkspacesModule],
  controllers: [HistoryController],
  providers: [
    DeployedReleaseReader,
    DeploymentJobs,
    DeploymentRecording,
    DeploymentSettlement,
    Deployments,
    DeploymentsRepository,
    FreezesAtDeployment,
    History,
    HistoryRecords,
    Promotion,
    RecordedDeployments,
  ],
  exports: [History, RecordedDeployments],
})
export class HistoryModule {}
