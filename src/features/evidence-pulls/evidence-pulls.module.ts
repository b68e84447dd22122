import { Module } from '@nestjs/common';
import { KeptReportsReader } from '../evidence/kept-reports.reader.js';
import { ObservationsModule } from '../observations/observations.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { ReportStorageModule } from '../report-storage/report-storage.module.js';
import { ReposModule } from '../repos/repos.module.js';
import { SigningModule } from '../signing/signing.module.js';
import { EvidenceFiles } from './evidence-files.service.js';
import { EvidencePullAnnouncement } from './evidence-pull-announcement.service.js';
import { EvidencePullHost } from './evidence-pull-host.service.js';
import { EvidencePullWorkReader } from './evidence-pull-work.reader.js';
import { EvidencePulls } from './evidence-pulls.service.js';
import { PublishedEvidence } from './published-evidence.recorder.js';

@Module({
  imports: [ObservationsModule, ReleasesModule, ReportStorageModule, ReposModule, SigningModule],
  providers: [
    EvidenceFiles,
    EvidencePullAnnouncement,
    EvidencePullHost,
    EvidencePullWorkReader,
    EvidencePulls,
    KeptReportsReader,
    PublishedEvidence,
  ],
})
export class EvidencePullsModule {}
