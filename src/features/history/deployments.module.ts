import { Module } from '@nestjs/common';
import { ReposModule } from '../../workspaces/repos.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ObservationsModule } from '../releases/observations.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { DeployedReleaseReader } from './deployments/deployed-release.reader.js';
import { DeploymentSettlement } from './deployments/deployment-settlement.service.js';
import { DeploymentsRepository } from './deployments/deployments.repository.js';
import { Deployments } from './deployments/deployments.service.js';
import { FreezesAtDeployment } from './deployments/freezes-at-deployment.reader.js';
import { Promotion } from './deployments/promotion.service.js';
import { RecordedDeployments } from './deployments/recorded-deployments.service.js';
import { DeploymentJobs } from './history.jobs.js';

@Module({
  imports: [AuditModule, ObservationsModule, ReleasesModule, ReposModule],
  providers: [
    DeployedReleaseReader,
    DeploymentJobs,
    DeploymentSettlement,
    Deployments,
    DeploymentsRepository,
    FreezesAtDeployment,
    Promotion,
    RecordedDeployments,
  ],
  exports: [RecordedDeployments],
})
export class DeploymentsModule {}
