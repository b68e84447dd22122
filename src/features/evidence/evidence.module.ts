import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { EvidenceListService } from './evidence-list.service.js';
import { EvidenceController } from './evidence.controller.js';
import { EvidenceQueries } from './evidence.queries.js';
import { EvidenceRepository } from './evidence.repository.js';
import { EvidenceService } from './evidence.service.js';
import { ReportParserService } from './parsing/report-parser.service.js';
import { ReportStorageModule } from './storage/report-storage.module.js';
import { TestResultsRepository } from './test-results.repository.js';
import { CiConfigController } from './upload/ci-config.controller.js';
import { EvidenceUploadController } from './upload/evidence-upload.controller.js';
import { EvidenceUploadService } from './upload/evidence-upload.service.js';
import { UploadMemoryLimit } from './upload/upload-memory.js';
import { UploadMetrics } from './upload/upload.metrics.js';
import { UploadTargetService } from './upload/upload-target.service.js';

@Module({
  imports: [EventsModule, ReleasesModule, ReportStorageModule, WorkspacesModule],
  controllers: [CiConfigController, EvidenceUploadController, EvidenceController],
  providers: [
    EvidenceListService,
    EvidenceRepository,
    EvidenceService,
    EvidenceQueries,
    EvidenceUploadService,
    ReportParserService,
    TestResultsRepository,
    UploadTargetService,
    UploadMemoryLimit,
    UploadMetrics,
  ],
  exports: [EvidenceQueries, TestResultsRepository],
})
export class EvidenceModule {}
