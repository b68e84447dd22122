import { Injectable, type OnModuleInit } from '@nestjs/common';
import { JobHandlers } from '../../jobs/job-handlers.js';
import { TestComparisonsService } from './tests/test-comparisons.service.js';

/** Runs the job that compares the tests of the releases of a page. */
@Injectable()
export class QualityJobs implements OnModuleInit {
  constructor(
    private readonly handlers: JobHandlers,
    private readonly comparisons: TestComparisonsService,
  ) {}

  onModuleInit(): void {
    this.handlers.register('compare-tests', async ({ orgId, releaseIds }) => {
      for (const releaseId of releaseIds) await this.comparisons.compare(orgId, releaseId);
    });
  }
}
