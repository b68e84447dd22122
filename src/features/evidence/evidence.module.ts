import { Module } from '@nestjs/common';
import { JsonListStream } from '../../http/pagination/json-list-stream.js';
import { EventsModule } from '../events/events.module.js';
import { ObservationsModule } from '../observations/observations.module.js';
import { VisibleReleases } from '../overrides/visible-releases.reader.js';
import { EvidenceInventory } from '../quality/evidence-inventory.recorder.js';
import { TestRolls } from '../quality/test-rolls.recorder.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { ReposModule } from '../repos/repos.module.js';
import { ReportStorageModule } from '../report-storage/report-storage.module.js';
import { EvidenceController } from './evidence.controller.js';
import { EvidenceReading } from './evidence-reading.service.js';
import { EvidenceRecords } from './evidence-records.reader.js';
import { EvidenceRepository } from './evidence.repository.js';
import { EvidenceUploads } from './evidence-uploads.service.js';
import { EvidenceViewController } from './evidence-view.controller.js';
import { KeptReportsReader } from './kept-reports.reader.js';
import { ReportReader } from './report-reader.service.js';
import { UploadDestinations } from './upload-destinations.service.js';
import { UploadRoom } from './upload-room.js';

@Module({
  imports: [EventsModule, ObservationsModule, ReleasesModule, ReportStorageModule, ReposModule],
  controllers: [EvidenceController, EvidenceViewController],
  providers: [
    EvidenceInventory,
    EvidenceReading,
    EvidenceRecords,
    EvidenceRepository,
    EvidenceUploads,
    JsonListStream,
    KeptReportsReader,
    ReportReader,
    TestRolls,
    UploadDestinations,
    UploadRoom,
    VisibleReleases,
  ],
})
export class EvidenceModule {}
