import { Module } from '@nestjs/common';
import { JsonListStream } from '../../http/pagination/json-list-stream.js';
import { EventsModule } from '../events/events.module.js';
import { ObservationsModule } from '../observations/observations.module.js';
import { PeopleModule } from '../people/people.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { ReposModule } from '../repos/repos.module.js';
import { LiveReviews } from './live-reviews.service.js';
import { PendingReviewsReader } from './pending-reviews.reader.js';
import { PendingReviews } from './pending-reviews.service.js';
import { ReleaseReviews } from './release-reviews.service.js';
import { ReviewFactsReader } from './review-facts.reader.js';
import { ReviewJobs } from './review-jobs.js';
import { ReviewRefresh } from './review-refresh.service.js';
import { ReviewRequests } from './review-requests.recorder.js';
import { ReviewedReleases } from './reviewed-releases.reader.js';
import { ReviewsController } from './reviews.controller.js';

@Module({
  imports: [EventsModule, ObservationsModule, PeopleModule, ReleasesModule, ReposModule],
  controllers: [ReviewsController],
  providers: [
    JsonListStream,
    LiveReviews,
    PendingReviews,
    PendingReviewsReader,
    ReleaseReviews,
    ReviewFactsReader,
    ReviewJobs,
    ReviewRefresh,
    ReviewRequests,
    ReviewedReleases,
  ],
  exports: [PendingReviews],
})
export class ReviewsModule {}
