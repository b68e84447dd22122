import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { JsonListStream } from '../../http/pagination/json-list.stream.js';
import { TestRollsReader } from '../evidence/test-rolls.reader.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { EvidencedReleases } from './evidenced-releases.reader.js';
import { QualityChoicesReader } from './quality-choices.reader.js';
import { QualityEvidence } from './quality-evidence.queries.js';
import { QualityReleases } from './quality-releases.reader.js';
import { QualityController } from './quality.controller.js';
import { ComparisonJobs } from './quality.jobs.js';
import { Quality } from './quality.service.js';
import { ReleaseGroups } from './release-groups.service.js';
import { TestComparisonsRepository } from './tests/test-comparisons.repository.js';
import { TestComparisons } from './tests/test-comparisons.service.js';

@Module({
  imports: [EventsModule, ReleasesModule],
  controllers: [QualityController],
  providers: [
    ComparisonJobs,
    EvidencedReleases,
    JsonListStream,
    Quality,
    QualityChoicesReader,
    QualityEvidence,
    QualityReleases,
    ReleaseGroups,
    TestComparisons,
    TestComparisonsRepository,
    TestRollsReader,
  ],
  exports: [Quality, ReleaseGroups],
})
export class QualityModule {}
