import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { ObservationsModule } from '../observations/observations.module.js';
import { EvidenceInventory } from '../quality/evidence-inventory.recorder.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { ReposModule } from '../repos/repos.module.js';
import { ReportStorageModule } from '../report-storage/report-storage.module.js';
import { EvidenceController } from './evidence.controller.js';
import { EvidenceRepository } from './evidence.repository.js';
import { EvidenceUploads } from './evidence-uploads.service.js';
import { KeptReportsReader } from './kept-reports.reader.js';
import { ReportReader } from './report-reader.service.js';
import { UploadDestinations } from './upload-destinations.service.js';

@Module({
  imports: [EventsModule, ObservationsModule, ReleasesModule, ReportStorageModule, ReposModule],
  controllers: [EvidenceController],
  providers: [EvidenceInventory, EvidenceRepository, EvidenceUploads, KeptReportsReader, ReportReader, UploadDestinations],
})
export class EvidenceModule {}
