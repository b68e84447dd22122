import { Module } from '@nestjs/common';
import { ReposModule } from '../../workspaces/repos.module.js';
import { KeptReportsReader } from '../evidence/kept-reports.reader.js';
import { ReportStorageModule } from '../evidence/storage/report-storage.module.js';
import { ObservationsModule } from '../releases/observations.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { SigningModule } from '../signing/signing.module.js';
import { EvidenceFiles } from './evidence-pulls/evidence-files.service.js';
import { EvidencePullAnnouncement } from './evidence-pulls/evidence-pull-announcement.service.js';
import { EvidencePullWorkReader } from './evidence-pulls/evidence-pull-content.service.js';
import { EvidencePullHost } from './evidence-pulls/evidence-pull-github.service.js';
import { EvidencePulls } from './evidence-pulls/evidence-pulls.service.js';
import { PublishedEvidence } from './evidence-pulls/published-evidence.repository.js';

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
