import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';

/** So many jobs of one name. */
export interface ForgottenJobs {
  readonly name: string;
  readonly jobs: number;
}

/** Jobs that failed at each of their tries: the queue itself keeps them for ever. */
@Injectable()
export class GivenUpJobsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Deletes those that were given up before. One of a delivery is kept until that is settled or a dead letter, because it is
   * what tells that nobody will try the delivery again.
   */
  async forget(before: Date): Promise<readonly ForgottenJobs[]> {
    return this.database.lookup<ForgottenJobs>(
      'forget_given_up_jobs',
      `with forgotten as (
         delete from graphile_worker._private_jobs job using graphile_worker._private_tasks task
         where task.id = job.task_id and job.attempts >= job.max_attempts and job.locked_at is null and job.updated_at < $1
           and (task.identifier <> 'process-webhook' or not exists (
             select from read_webhook(job.payload ->> 'guid') delivery where delivery.status = 'pending'))
         returning task.identifier as name)
       select name, count(*)::integer as jobs from forgotten group by name order by name`,
      [before],
    );
  }
}
