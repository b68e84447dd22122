import { Module } from '@nestjs/common';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { DeploymentHoldsRepository } from './deployment-holds.repository.js';
import { DeploymentHoldsService } from './deployment-holds.service.js';
import { HoldGateService } from './hold-gate.service.js';
import { HoldAnswerService } from './hold-answer.service.js';

/**
 * GitHub can let a deployment wait until a protection rule answers. This feature is that rule: it stores each waiting
 * deployment and answers when the gate of its release decides. Begin at `deployment-holds.service.ts`. It stores,
 * `hold-gate.service.ts` decides, and `hold-answer.service.ts` answers GitHub.
 */
@Module({
  imports: [ReleasesModule, WorkspacesModule],
  providers: [DeploymentHoldsRepository, DeploymentHoldsService, HoldGateService, HoldAnswerService],
  exports: [DeploymentHoldsService],
})
export class DeploymentHoldsModule {}
