import { Injectable, type OnModuleInit } from '@nestjs/common';
import { JobHandlers } from '../../jobs/job-handlers.js';
import { ReviewRefreshService } from './review-refresh.service.js';

/** Runs the job that refreshes reviews. */
@Injectable()
export class ReviewsJobs implements OnModuleInit {
  constructor(
    private readonly handlers: JobHandlers,
    private readonly reviews: ReviewRefreshService,
  ) {}

  onModuleInit(): void {
    this.handlers.register('refresh-reviews', ({ orgId, person, releaseIds }) =>
      this.reviews.read(orgId, person, releaseIds),
    );
  }
}
