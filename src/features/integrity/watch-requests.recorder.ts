import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import { Jobs } from '../../jobs/jobs.js';

/** Asks for the workflow files that were installed to be looked at. */
@Injectable()
export class WatchRequests {
  constructor(private readonly jobs: Jobs) {}

  async askFor(tx: TenantTx, repositoryId: string): Promise<void> {
    await this.jobs.add(
      tx,
      'watch-workflows',
      { orgId: tx.orgId, repositoryId },
      { key: `watch-workflows:${repositoryId}`, queue: { kind: 'integrity', of: repositoryId } },
    );
  }
}
