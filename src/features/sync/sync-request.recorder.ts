import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { ADD_JOB, addJobParameters } from '../../jobs/job-sql.js';
import { changesJob, installationJob } from './sync-jobs.js';

/** Asks that installations be read anew, also those whose workspace is not known yet. */
@Injectable()
export class SyncRequestRecorder {
  constructor(private readonly database: Database) {}

  /** Has every installation that the host knows read anew. */
  async askForAll(): Promise<void> {
    await this.database.lookup('ask_for_sync', ADD_JOB, addJobParameters('sync-all', {}, { key: 'sync-all' }));
  }

  /** Has read which repositories the installation reaches, and those of them that are new or were changed. */
  async askForChanges(installationId: number): Promise<void> {
    const payload = { installationId, changesOnly: true };
    const job = addJobParameters('sync-installation', payload, changesJob(installationId));
    await this.database.lookup('ask_for_sync', ADD_JOB, job);
  }

  /** Has the installation read anew; asking twice while it waits is asking once. */
  async askFor(installationId: number): Promise<void> {
    const job = addJobParameters('sync-installation', { installationId }, installationJob(installationId));
    await this.database.lookup('ask_for_sync', ADD_JOB, job);
  }
}
