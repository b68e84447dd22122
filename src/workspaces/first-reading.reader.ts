import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';

/** Knows whether organizations are being found that were not known here, or their people let in. */
@Injectable()
export class FirstReadingReader {
  constructor(private readonly database: Database) {}

  /** True where the person, by their id on the code host, is in no workspace, and may be in one within seconds. */
  async concerns(person: number): Promise<boolean> {
    const [row] = await this.database.lookup<{ readonly concerns: boolean }>(
      'is_first_reading',
      `select not exists (select from list_workspaces_of($1)) and exists (
         select from graphile_worker._private_jobs job
         join graphile_worker._private_tasks task on task.id = job.task_id
         where task.identifier in ('find-installations', 'admit-signed-in') and job.attempts < job.max_attempts)
         as concerns`,
      [person],
    );
    return row?.concerns ?? false;
  }
}
