import { Module } from '@nestjs/common';
import { JsonListStream } from '../../http/pagination/json-list-stream.js';
import { EventsModule } from '../events/events.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { ComparisonJobs } from './comparison-jobs.js';
import { ComparisonRequests } from './comparison-requests.recorder.js';
import { EvidencedReleases } from './evidenced-releases.reader.js';
import { QualityChoicesReader } from './quality-choices.reader.js';
import { QualityController } from './quality.controller.js';
import { Quality } from './quality.service.js';
import { QualityEvidence } from './quality-evidence.reader.js';
import { QualityReleases } from './quality-releases.reader.js';
import { ReleaseGroups } from './release-groups.service.js';
import { TestComparisonsRepository } from './test-comparisons.repository.js';
import { TestComparisons } from './test-comparisons.service.js';
import { TestRollsReader } from './test-rolls.reader.js';

@Module({
  imports: [EventsModule, ReleasesModule],
  controllers: [QualityController],
  providers: [
    ComparisonJobs,
    ComparisonRequests,
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
