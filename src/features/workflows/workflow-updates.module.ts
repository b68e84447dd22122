import { Module } from '@nestjs/common';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { EventsModule } from '../events/events.module.js';
import { ReposModule } from '../repos/repos.module.js';
import { UpdatableRepositories } from './updatable-repositories.reader.js';
import { WorkflowUpdateHost } from './workflow-update-host.service.js';
import { WorkflowUpdateLog } from './workflow-update-log.recorder.js';
import { WorkflowUpdatePursuits } from './workflow-update-pursuits.recorder.js';
import { WorkflowUpdateSettlement } from './workflow-update-settlement.service.js';
import { WorkflowUpdatesController } from './workflow-updates.controller.js';
import { WorkflowUpdatesRepository } from './workflow-updates.repository.js';
import { WorkflowUpdates } from './workflow-updates.service.js';
import { WorkflowsModule } from './workflows.module.js';

/** Brings what is installed up to date, by pull requests that people merge. */
@Module({
  imports: [AuditModule, EventsModule, ReposModule, WorkflowsModule, WorkspacesModule],
  controllers: [WorkflowUpdatesController],
  providers: [
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
