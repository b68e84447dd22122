import { Module } from '@nestjs/common';
import { ReposModule } from '../../workspaces/repos.module.js';
import { PolicyModule } from '../policy/policy.module.js';
import { ObservationsModule } from '../releases/observations.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { IntegrityModule } from './integrity.module.js';
import { HeadExamination } from './merge-check/head-examination.service.js';
import { EnforcementCheck } from './merge-check/merge-check.service.js';
import { ReleaseScopesReader } from './merge-check/release-scopes.queries.js';
import { WorkflowExamination } from './merge-check/workflow-examination.service.js';
import { WorkflowsModule } from './workflows.module.js';

@Module({
  imports: [IntegrityModule, ObservationsModule, PolicyModule, ReleasesModule, ReposModule, WorkflowsModule],
  providers: [EnforcementCheck, HeadExamination, ReleaseScopesReader, WorkflowExamination],
})
export class EnforcementModule {}
