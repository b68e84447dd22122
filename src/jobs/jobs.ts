import { Injectable } from '@nestjs/common';
import { Database, type TenantTx } from '../database/database.js';
import type { JobName, JobOptions, JobPayload } from './job.js';
import { ADD_JOB, addJobParameters } from './job-sql.js';

/** Puts work off, durably. `JOBS` tells each job's key and queue. */
@Injectable()
export class Jobs {
  constructor(private readonly database: Database) {}

  /** The job exists exactly if the transaction commits. */
  async enqueue<N extends JobName>(
    tx: TenantTx,
    name: N,
    payload: JobPayload<N>,
    options: JobOptions = {},
  ): Promise<void> {
    await tx.prepared('add_job', ADD_JOB, addJobParameters(name, payload, options));
  }

  /** Adds a job that belongs to no workspace, or to one that is not known yet. */
  async enqueueGlobal<N extends JobName>(name: N, payload: JobPayload<N>): Promise<void> {
    await this.database.lookup('ask_for_sync', ADD_JOB, addJobParameters(name, payload));
  }
}
