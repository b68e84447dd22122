import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { ReposModule } from '../../workspaces/repos.module.js';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { UpdatableRepositories } from './workflow-files/updatable-repositories.reader.js';
import { WorkflowUpdateSettlement } from './workflow-files/workflow-update-completion.service.js';
import { WorkflowUpdateHost } from './workflow-files/workflow-update-host.service.js';
import { WorkflowUpdateLog } from './workflow-files/workflow-update-log.recorder.js';
import { WorkflowUpdatePursuits } from './workflow-files/workflow-update-pursuits.recorder.js';
import { WorkflowUpdatesController } from './workflow-files/workflow-updates.controller.js';
import { WorkflowUpdatesRepository } from './workflow-files/workflow-updates.repository.js';
import { WorkflowUpdates } from './workflow-files/workflow-updates.service.js';
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
