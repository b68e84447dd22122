import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../../database/database.js';
import { Jobs } from '../../../jobs/jobs.js';

/** Longer than a request may take to open the pull request itself: only what it left is taken up. */
const AFTER_REQUEST_SECONDS = 60;

/** Asks that a bootstrap which is under way be gone on with. */
@Injectable()
export class BootstrapPursuits {
  constructor(private readonly jobs: Jobs) {}

  /** Once whoever began it has had the time to open its pull request. */
  async askForLater(tx: TenantTx, repositoryId: string): Promise<void> {
    await this.jobs.enqueue(
      tx,
      'pursue-bootstrap',
      { orgId: tx.orgId, repositoryId },
      { delaySeconds: AFTER_REQUEST_SECONDS },
    );
  }

  /** Adds nothing where none is under way, so that it may be asked at every hint. */
  async askFor(tx: TenantTx, repositoryId: string): Promise<void> {
    const underWay = await tx.query(
      `select from repository_setup where repository_id = $1 and step in ('opening', 'pr_open', 'merged')`,
      [repositoryId],
    );
    if (underWay.length > 0) await this.jobs.enqueue(tx, 'pursue-bootstrap', { orgId: tx.orgId, repositoryId });
  }
}
