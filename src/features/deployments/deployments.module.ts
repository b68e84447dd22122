import { Module } from '@nestjs/common';
import { ObservationsModule } from '../observations/observations.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { ReposModule } from '../repos/repos.module.js';
import { DeployedReleaseReader } from './deployed-release.reader.js';
import { DeploymentJobs } from './deployment-jobs.js';
import { DeploymentSettlement } from './deployment-settlement.service.js';
import { DeploymentsRepository } from './deployments.repository.js';
import { Deployments } from './deployments.service.js';
import { Promotion } from './promotion.service.js';

@Module({
  imports: [ObservationsModule, ReleasesModule, ReposModule],
  providers: [
    DeployedReleaseReader,
    DeploymentJobs,
    DeploymentSettlement,
    Deployments,
    DeploymentsRepository,
    Promotion,
  ],
})
export class DeploymentsModule {}
