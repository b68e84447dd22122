import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { EventsModule } from '../events/events.module.js';
import { ObservationsModule } from '../observations/observations.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { ReposModule } from '../repos/repos.module.js';
import { WorkflowsModule } from '../workflows/workflows.module.js';
import { BranchExamination } from './branch-examination.service.js';
import { IntegrityJobs } from './integrity-jobs.js';
import { TamperingIssuesRepository } from './tampering-issues.repository.js';
import { TamperingIssues } from './tampering-issues.service.js';
import { TamperingRecorder } from './tampering.recorder.js';
import { WatchRequestsModule } from './watch-requests.module.js';
import { WatchReader } from './watch.reader.js';
import { WatchStateRepository } from './watch-state.repository.js';
import { WorkflowWatch } from './workflow-watch.service.js';

@Module({
  imports: [
    AuditModule,
    EventsModule,
    ObservationsModule,
    ReleasesModule,
    ReposModule,
    WatchRequestsModule,
    WorkflowsModule,
  ],
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
