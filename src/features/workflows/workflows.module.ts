import { Module } from '@nestjs/common';
import { WatchRequestsModule } from '../integrity/watch-requests.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { ManagedWorkflows } from './managed-workflows.service.js';
import { PublishedRevisions } from './published-revisions.reader.js';
import { PublishedRevisionsRecorder } from './published-revisions.recorder.js';
import { WorkflowInstallations } from './workflow-installation.reader.js';
import { WorkflowInstallationRecorder } from './workflow-installation.recorder.js';

/** What the service installs, and what it installed where: for every feature that writes or watches these files. */
@Module({
  imports: [ReleasesModule, WatchRequestsModule],
  providers: [
    ManagedWorkflows,
    PublishedRevisions,
    PublishedRevisionsRecorder,
    WorkflowInstallationRecorder,
    WorkflowInstallations,
  ],
  exports: [ManagedWorkflows, PublishedRevisions, WorkflowInstallationRecorder, WorkflowInstallations],
})
export class WorkflowsModule {}
