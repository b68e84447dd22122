import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { ADD_JOB, addJobParameters } from '../../jobs/job-sql.js';
import { changesJob, installationJob } from '../../jobs/sync-jobs.js';

/** Asks that installations be read anew, also those whose workspace is not known yet. */
@Injectable()
export class SyncRequestRecorder {
  constructor(private readonly database: Database) {}

  /** Has the installations found and read that are not known yet, once however many processes ask at their start. */
  async askForUnknown(): Promise<void> {
    const job = addJobParameters('find-installations', {}, { key: 'find-installations' });
    await this.database.lookup('ask_for_sync', ADD_JOB, job);
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
