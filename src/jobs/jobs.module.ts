import { Global, Module } from '@nestjs/common';
import { JobHandlers } from './job-handlers.js';
import { JobsService } from './jobs.service.js';
import { ScheduledJobsService } from './scheduled-jobs.service.js';
import { JobMetrics } from './worker/job.metrics.js';
import { JobWorker } from './worker/job-worker.js';
import { QueueMetrics } from './worker/queue-metrics.js';

/** Expects the app to provide the database. */
@Global()
@Module({
  providers: [JobHandlers, JobMetrics, JobsService, JobWorker, QueueMetrics, ScheduledJobsService],
  exports: [JobHandlers, JobsService, JobWorker],
})
export class JobsModule {}
