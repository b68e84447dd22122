import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { PolicyCheckService } from './policy-check.service.js';
import { PolicyDefaultService } from './policy-default.service.js';
import { PolicyFileService } from './policy-file.service.js';
import { PolicyController } from './policy.controller.js';
import { PolicyCheckController } from './policy-check.controller.js';

/**
 * A repository states in `sdlc.yaml` what a release needs, and the organization has a default. This feature reads these
 * files from GitHub and checks drafts. Begin at `policy-file.service.ts`. `src/policy-document/` parses them, and
 * `src/domain/policy/` merges them.
 */
@Module({
  imports: [AuditModule, EventsModule, WorkspacesModule],
  controllers: [PolicyCheckController, PolicyController],
  providers: [PolicyCheckService, PolicyDefaultService, PolicyFileService],
  exports: [PolicyFileService],
})
export class PolicyModule {}
