import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { JobHandler } from '../../jobs/job-handlers.js';
import type { JobPayload } from '../../jobs/job.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { FreezesRepository } from './freezes.repository.js';

const BATCH_SIZE = 200;

/** Runs the job that evaluates the releases of a workspace after a freeze was created or lifted. */
@Injectable()
export class OverridesJobs {
  constructor(
    private readonly database: Database,
    private readonly freezes: FreezesRepository,
    private readonly jobs: JobsService,
  ) {}

  /** Enqueues one refresh per release, so that a release that cannot be read from GitHub does not delay the others. */
  @JobHandler('reevaluate-workspace')
  async reevaluateWorkspace({ orgId, cause }: JobPayload<'reevaluate-workspace'>): Promise<void> {
    let after: string | null = null;
    do {
      const from: string | null = after;
      const ids: readonly string[] = await this.database.inTenant(orgId, async (tx) => {
        const next = await this.freezes.listNext(tx, from, BATCH_SIZE);
        for (const releaseId of next) {
          await this.jobs.enqueue(tx, 'refresh-release', { orgId, releaseId, cause });
        }
        return next;
      });
      after = ids.at(-1) ?? null;
    } while (after !== null);
  }
}
