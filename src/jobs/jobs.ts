import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../database/database.js';
import type { JobName, JobOptions, JobPayloads } from './job.js';
import { ADD_JOB, addJobParameters } from './job-sql.js';

/** Puts work off, durably: a job exists exactly if the transaction that added it committed. */
@Injectable()
export class Jobs {
  async add<N extends JobName>(
    tx: TenantTx,
    name: N,
    payload: JobPayloads[N],
    options: JobOptions = {},
  ): Promise<void> {
    await tx.prepared('add_job', ADD_JOB, addJobParameters(name, payload, options));
  }
}
