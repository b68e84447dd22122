import { Module } from '@nestjs/common';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { PolicyCheckService } from './policy-check.service.js';
import { PolicyFileService } from './policy-file.service.js';
import { PolicyCheckController, PolicyController } from './policy.controller.js';

@Module({
  imports: [WorkspacesModule],
  controllers: [PolicyCheckController, PolicyController],
  providers: [PolicyCheckService, PolicyFileService],
  exports: [PolicyFileService],
})
export class PolicyModule {}
