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
    this.handlers.register('refresh-review-eligibility', ({ orgId, userId, releaseIds }) =>
      this.reviews.read(orgId, userId, releaseIds),
    );
  }
}
