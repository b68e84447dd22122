import { Module } from '@nestjs/common';
import { ReposModule } from '../../workspaces/repos.module.js';
import { PolicyCheckController } from './policy-check.controller.js';
import { PolicyChecks } from './policy-check.service.js';
import { PolicyObserver } from './policy-file.service.js';
import { PolicySchemaController } from './policy-schema.controller.js';

@Module({
  imports: [ReposModule],
  controllers: [PolicyCheckController, PolicySchemaController],
  providers: [PolicyChecks, PolicyObserver],
  exports: [PolicyObserver],
})
export class PolicyModule {}
