import { Module } from '@nestjs/common';
import { ObservationsModule } from '../observations/observations.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { ReposModule } from '../repos/repos.module.js';
import { EvidencePullHost } from './evidence-pull-host.service.js';
import { EvidencePullWorkReader } from './evidence-pull-work.reader.js';
import { EvidencePulls } from './evidence-pulls.service.js';

@Module({
  imports: [ObservationsModule, ReleasesModule, ReposModule],
  providers: [EvidencePullHost, EvidencePullWorkReader, EvidencePulls],
})
export class EvidencePullsModule {}
