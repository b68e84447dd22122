import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { RunCoverageRepository } from './run-coverage.repository.js';
import { RunCoverageJobs } from './run-coverage.jobs.js';
import { EvidenceListService } from './evidence-list.service.js';
import { EvidenceController } from './evidence.controller.js';
import { EvidenceQueries } from './evidence.queries.js';
import { EvidenceRepository } from './evidence.repository.js';
import { EvidenceService } from './evidence.service.js';
import { ReportParserService } from './parsing/report-parser.service.js';
import { ReportStorageModule } from './storage/report-storage.module.js';
import { TestResultsRepository } from './test-results.repository.js';
import { CiConfigController } from './upload/ci-config.controller.js';
import { EarlierUploadsQueries } from './upload/earlier-uploads.queries.js';
import { EvidenceUploadController } from './upload/evidence-upload.controller.js';
import { EvidenceUploadService } from './upload/evidence-upload.service.js';
import { FailureIdentificationService } from './upload/failure-identification.service.js';
import { UploadEffectService } from './upload/upload-effect.service.js';
import { UploadReceptionService } from './upload/upload-reception.service.js';
import { UploadMemoryLimit } from './upload/upload-memory-limit.js';
import { UploadMetrics } from './upload/upload.metrics.js';
import { UploadTargetService } from './upload/upload-target.service.js';

/**
 * CI runs upload their reports, which prove the quality of a commit. An upload is authorized, parsed in threads and
 * stored, and the releases of its commit are evaluated again. Begin at `upload/`. `formats/` has one file for each kind
 * of report.
 */
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
    RunCoverageRepository,
    RunCoverageJobs,
    TestResultsRepository,
    EarlierUploadsQueries,
    FailureIdentificationService,
    UploadEffectService,
    UploadReceptionService,
    UploadTargetService,
    UploadMemoryLimit,
    UploadMetrics,
  ],
  exports: [EvidenceQueries, TestResultsRepository, UploadTargetService],
})
export class EvidenceModule {}
