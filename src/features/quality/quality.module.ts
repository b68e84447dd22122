import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { TestRollsReader } from '../evidence/test-results.repository.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { ExportAnswer } from './export/export-response.js';
import { QualityExportController } from './export/quality-export.controller.js';
import { QualityExport } from './export/quality-export.service.js';
import { WorkbookThread } from './export/xlsx/workbook-thread.service.js';
import { QualityEvidence } from './quality-evidence.queries.js';
import { QualityReleases } from './quality-releases.queries.js';
import { EvidencedReleases, QualityChoicesReader } from './quality-search.queries.js';
import { QualityController } from './quality.controller.js';
import { ComparisonJobs } from './quality.jobs.js';
import { Quality } from './quality.service.js';
import { ReleaseGroups } from './release-groups.service.js';
import { TestComparisonsRepository } from './tests/test-comparisons.repository.js';
import { TestComparisons } from './tests/test-comparisons.service.js';

@Module({
  imports: [EventsModule, ReleasesModule],
  controllers: [QualityController, QualityExportController],
  providers: [
    ComparisonJobs,
    EvidencedReleases,
    ExportAnswer,
    Quality,
    QualityChoicesReader,
    QualityEvidence,
    QualityExport,
    QualityReleases,
    ReleaseGroups,
    TestComparisons,
    TestComparisonsRepository,
    TestRollsReader,
    WorkbookThread,
  ],
  exports: [Quality, ReleaseGroups],
})
export class QualityModule {}
