import { Global, Module } from '@nestjs/common';
import { JobHandlers } from './job-handlers.js';
import { Jobs } from './jobs.service.js';
import { JobWorker } from './worker/job-worker.js';
import { QueueGauges } from './worker/queue-metrics.js';

/** Expects the app to provide the database. */
@Global()
@Module({
  providers: [JobHandlers, Jobs, JobWorker, QueueGauges],
  exports: [JobHandlers, Jobs, JobWorker],
})
export class JobsModule {}
