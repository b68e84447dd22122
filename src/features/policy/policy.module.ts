import { Module } from '@nestjs/common';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { PolicyChecks } from './policy-check.service.js';
import { PolicyObserver } from './policy-file.service.js';
import { PolicyCheckController, PolicySchemaController } from './policy.controller.js';

@Module({
  imports: [WorkspacesModule],
  controllers: [PolicyCheckController, PolicySchemaController],
  providers: [PolicyChecks, PolicyObserver],
  exports: [PolicyObserver],
})
export class PolicyModule {}
