import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { JobHandlers } from './job-handlers.js';
import { JobsService } from './jobs.service.js';
import { ScheduledJobsService } from './scheduled-jobs.service.js';
import { JobMetrics } from './worker/job.metrics.js';
import { JobWorker } from './worker/job-worker.js';
import { QueueMetrics } from './worker/queue-metrics.js';

/** Expects the app to provide the database. */
@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [JobHandlers, JobMetrics, JobsService, JobWorker, QueueMetrics, ScheduledJobsService],
  exports: [JobsService, JobWorker],
})
export class JobsModule {}
