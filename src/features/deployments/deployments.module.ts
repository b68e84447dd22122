import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { ObservationsModule } from '../observations/observations.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { ReposModule } from '../repos/repos.module.js';
import { DeployedReleaseReader } from './deployed-release.reader.js';
import { DeploymentJobs } from './deployment-jobs.js';
import { DeploymentSettlement } from './deployment-settlement.service.js';
import { DeploymentsRepository } from './deployments.repository.js';
import { Deployments } from './deployments.service.js';
import { FreezesAtDeployment } from './freezes-at-deployment.reader.js';
import { Promotion } from './promotion.service.js';
import { RecordedDeployments } from './recorded-deployments.service.js';

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
