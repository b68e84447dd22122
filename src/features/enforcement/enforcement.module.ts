import { Module } from '@nestjs/common';
import { IntegrityModule } from '../integrity/integrity.module.js';
import { ObservationsModule } from '../observations/observations.module.js';
import { PolicyModule } from '../policy/policy.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { ReposModule } from '../repos/repos.module.js';
import { WorkflowsModule } from '../workflows/workflows.module.js';
import { EnforcementCheck } from './enforcement-check.service.js';
import { EnforcementRequestRecorder } from './enforcement-request.recorder.js';
import { HeadExamination } from './head-examination.service.js';
import { ReleaseScopesReader } from './release-scopes.reader.js';
import { WorkflowExamination } from './workflow-examination.service.js';

@Module({
  imports: [IntegrityModule, ObservationsModule, PolicyModule, ReleasesModule, ReposModule, WorkflowsModule],
  providers: [EnforcementCheck, EnforcementRequestRecorder, HeadExamination, ReleaseScopesReader, WorkflowExamination],
  exports: [EnforcementRequestRecorder],
})
export class EnforcementModule {}
