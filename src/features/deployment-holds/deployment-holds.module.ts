import { Module } from '@nestjs/common';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { DeploymentHoldsRepository } from './deployment-holds.repository.js';
import { DeploymentHoldsService } from './deployment-holds.service.js';
import { HoldGateService } from './hold-gate.service.js';
import { HoldAnswerService } from './hold-answer.service.js';

@Module({
  imports: [ReleasesModule, WorkspacesModule],
  providers: [DeploymentHoldsRepository, DeploymentHoldsService, HoldGateService, HoldAnswerService],
  exports: [DeploymentHoldsService],
})
export class DeploymentHoldsModule {}
