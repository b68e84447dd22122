import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { JsonListStream } from '../../http/pagination/json-list.stream.js';
import { ReposModule } from '../../workspaces/repos.module.js';
import { PeopleModule } from '../accounts/people.module.js';
import { ObservationsModule } from '../releases/observations.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { LiveReviews } from './live-reviews.service.js';
import { PendingReviewsReader } from './pending-reviews.reader.js';
import { PendingReviews } from './pending-reviews.service.js';
import { ReleaseReviews } from './release-reviews.service.js';
import { ReviewFactsReader } from './review-facts.reader.js';
import { ReviewRefresh } from './review-refresh.service.js';
import { ReviewedReleases } from './reviewed-releases.reader.js';
import { ReviewsController } from './reviews.controller.js';
import { ReviewJobs } from './reviews.jobs.js';

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
    ReviewedReleases,
  ],
  exports: [PendingReviews],
})
export class ReviewsModule {}
