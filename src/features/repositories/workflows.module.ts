import { Module } from '@nestjs/common';
import { ReleasesModule } from '../releases/releases.module.js';
import { PublishedRevisions } from './workflow-files/published-revisions.reader.js';
import { PublishedRevisionsRecorder } from './workflow-files/published-revisions.recorder.js';
import { WorkflowInstallations } from './workflow-files/workflow-installation.reader.js';
import { WorkflowInstallationRecorder } from './workflow-files/workflow-installation.recorder.js';
import { ManagedWorkflows } from './workflow-files/workflow-templates.service.js';

/** What the service installs, and what it installed where: for every feature that writes or watches these files. */
@Module({
  imports: [ReleasesModule],
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
