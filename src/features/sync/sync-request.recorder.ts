import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { ADD_JOB, addJobParameters } from '../../jobs/job-sql.js';
import { installationJob } from './sync-jobs.js';

/** Asks that installations be read anew, also those whose workspace is not known yet. */
@Injectable()
export class SyncRequestRecorder {
  constructor(private readonly database: Database) {}

  /** Has every installation that the host knows read anew. */
  async askForAll(): Promise<void> {
    await this.database.lookup('ask_for_sync', ADD_JOB, addJobParameters('sync-all', {}, { key: 'sync-all' }));
  }

  /** Has the installation read anew; asking twice while it waits is asking once. */
  async askFor(installationId: number): Promise<void> {
    const job = addJobParameters('sync-installation', { installationId }, installationJob(installationId));
    await this.database.lookup('ask_for_sync', ADD_JOB, job);
  }
}
