import { Module } from '@nestjs/common';
import { ObservationsModule } from '../observations/observations.module.js';
import { PolicyModule } from '../policy/policy.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { ReposModule } from '../repos/repos.module.js';
import { EnforcementCheck } from './enforcement-check.service.js';
import { EnforcementRequestRecorder } from './enforcement-request.recorder.js';
import { HeadExamination } from './head-examination.service.js';
import { ReleaseScopesReader } from './release-scopes.reader.js';

@Module({
  imports: [ObservationsModule, PolicyModule, ReleasesModule, ReposModule],
  providers: [EnforcementCheck, EnforcementRequestRecorder, HeadExamination, ReleaseScopesReader],
  exports: [EnforcementRequestRecorder],
})
export class EnforcementModule {}
