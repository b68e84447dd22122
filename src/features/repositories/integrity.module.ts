import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { ReposModule } from '../../workspaces/repos.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ObservationsModule } from '../releases/observations.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { IntegrityJobs } from './integrity-jobs.js';
import { BranchExamination } from './tampering/branch-examination.service.js';
import { TamperingIssuesRepository } from './tampering/tampering-issues.repository.js';
import { TamperingIssues } from './tampering/tampering-issues.service.js';
import { TamperingRecorder } from './tampering/tampering.service.js';
import { WatchStateRepository } from './tampering/watch-state.repository.js';
import { WatchReader } from './tampering/watch.reader.js';
import { WorkflowWatch } from './tampering/workflow-watch.service.js';
import { WorkflowsModule } from './workflows.module.js';

@Module({
  imports: [AuditModule, EventsModule, ObservationsModule, ReleasesModule, ReposModule, WorkflowsModule],
  providers: [
    BranchExamination,
    IntegrityJobs,
    TamperingIssues,
    TamperingIssuesRepository,
    TamperingRecorder,
    WatchReader,
    WatchStateRepository,
    WorkflowWatch,
  ],
  exports: [WatchReader, WorkflowWatch],
})
export class IntegrityModule {}
