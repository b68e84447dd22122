import { Global, Module } from '@nestjs/common';
import { JobHandlers } from './job-handlers.js';
import { JobWorker } from './job-worker.js';
import { Jobs } from './jobs.js';
import { QueueGauges } from './queue-gauges.js';

/** Expects the app to provide the database. */
@Global()
@Module({
  providers: [JobHandlers, Jobs, JobWorker, QueueGauges],
  exports: [JobHandlers, Jobs, JobWorker],
})
export class JobsModule {}
