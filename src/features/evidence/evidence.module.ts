import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { JsonListStream } from '../../http/pagination/json-list.stream.js';
import { ReposModule } from '../../workspaces/repos.module.js';
import { ObservationsModule } from '../releases/observations.module.js';
import { VisibleReleases } from '../releases/records/visible-releases.reader.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { EvidenceInventory } from './evidence-inventory.recorder.js';
import { EvidenceRecords } from './evidence-records.reader.js';
import { EvidenceViewController } from './evidence.controller.js';
import { EvidenceRepository } from './evidence.repository.js';
import { EvidenceReading } from './evidence.service.js';
import { KeptReportsReader } from './kept-reports.reader.js';
import { ReportReader } from './parsing/report-reader.service.js';
import { ReportStorageModule } from './storage/report-storage.module.js';
import { TestRolls } from './test-rolls.recorder.js';
import { EvidenceController } from './upload/evidence-upload.controller.js';
import { EvidenceUploads } from './upload/evidence-upload.service.js';
import { UploadRoom } from './upload/upload-memory.js';
import { UploadDestinations } from './upload/upload-target.service.js';

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
