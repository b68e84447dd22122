import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { ExportModule } from '../../export/export.module.js';
import { EvidenceModule } from '../evidence/evidence.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { QualityExportController } from './export/quality-export.controller.js';
import { QualityExportService } from './export/quality-export.service.js';
import { QualityEvidenceQueries } from './quality-evidence.queries.js';
import { QualityReleasesQueries } from './quality-releases.queries.js';
import { QualitySearchQueries } from './quality-search.queries.js';
import { QualityController } from './quality.controller.js';
import { QualityService } from './quality.service.js';
import { ReleaseGroupsService } from './release-groups.service.js';
import { TestComparisonsRepository } from './tests/test-comparisons.repository.js';
import { TestComparisonsService } from './tests/test-comparisons.service.js';

/**
 * The scorecards compare the evidence of releases: tests, coverage, findings and completeness. They read what is stored and
 * decide nothing. Begin at `quality.service.ts`. `tests/` compares single tests, and `export/` writes files.
 */
@Module({
  imports: [EventsModule, EvidenceModule, ExportModule, ReleasesModule],
  controllers: [QualityController, QualityExportController],
  providers: [
    QualitySearchQueries,
    QualityService,
    QualityEvidenceQueries,
    QualityExportService,
    QualityReleasesQueries,
    ReleaseGroupsService,
    TestComparisonsService,
    TestComparisonsRepository,
  ],
  exports: [QualityService, ReleaseGroupsService],
})
export class QualityModule {}
