import { Module } from '@nestjs/common';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { EventsModule } from '../events/events.module.js';
import { PolicyModule } from '../policy/policy.module.js';
import { ReposModule } from '../repos/repos.module.js';
import { PolicyCheckController } from './policy-check.controller.js';
import { PolicyChecks } from './policy-check.service.js';
import { UpdatableRepositories } from './updatable-repositories.reader.js';
import { WorkflowUpdateHost } from './workflow-update-host.service.js';
import { WorkflowUpdateLog } from './workflow-update-log.recorder.js';
import { WorkflowUpdatePursuits } from './workflow-update-pursuits.recorder.js';
import { WorkflowUpdateSettlement } from './workflow-update-settlement.service.js';
import { WorkflowUpdatesController } from './workflow-updates.controller.js';
import { WorkflowUpdatesRepository } from './workflow-updates.repository.js';
import { WorkflowUpdates } from './workflow-updates.service.js';
import { WorkflowsModule } from './workflows.module.js';

/** Brings what is installed up to date, by pull requests that people merge, and answers what it asks beside the gate. */
@Module({
  imports: [AuditModule, EventsModule, PolicyModule, ReposModule, WorkflowsModule, WorkspacesModule],
  controllers: [PolicyCheckController, WorkflowUpdatesController],
  providers: [
    PolicyChecks,
    UpdatableRepositories,
    WorkflowUpdateHost,
    WorkflowUpdateLog,
    WorkflowUpdatePursuits,
    WorkflowUpdateSettlement,
    WorkflowUpdates,
    WorkflowUpdatesRepository,
  ],
  exports: [WorkflowUpdatePursuits],
})
export class WorkflowUpdatesModule {}
