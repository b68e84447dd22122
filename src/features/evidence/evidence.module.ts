import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { EvidenceViewController } from './evidence.controller.js';
import { EvidenceRecords, KeptReportsReader } from './evidence.queries.js';
import { EvidenceInventory, EvidenceRepository } from './evidence.repository.js';
import { EvidenceReading } from './evidence.service.js';
import { ReportReader } from './parsing/report-parser.service.js';
import { ReportStorageModule } from './storage/report-storage.module.js';
import { TestRolls } from './test-results.repository.js';
import { EvidenceController } from './upload/evidence-upload.controller.js';
import { EvidenceUploads } from './upload/evidence-upload.service.js';
import { UploadRoom } from './upload/upload-memory.js';
import { UploadDestinations } from './upload/upload-target.service.js';

@Module({
  imports: [EventsModule, ReleasesModule, ReportStorageModule, WorkspacesModule],
  controllers: [EvidenceController, EvidenceViewController],
  providers: [
    EvidenceInventory,
    EvidenceReading,
    EvidenceRecords,
    EvidenceRepository,
    EvidenceUploads,
    KeptReportsReader,
    ReportReader,
    TestRolls,
    UploadDestinations,
    UploadRoom,
  ],
  exports: [KeptReportsReader],
})
export class EvidenceModule {}
