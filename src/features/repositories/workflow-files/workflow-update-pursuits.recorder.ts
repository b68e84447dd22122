import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../../database/database.js';
import { Jobs } from '../../../jobs/jobs.js';

/** Asks that it be looked whether the pull request of a workflow update was merged or closed. */
@Injectable()
export class WorkflowUpdatePursuits {
  constructor(private readonly jobs: Jobs) {}

  /** Adds nothing where none is known to wait, so that it costs nothing to ask again and again. */
  async askFor(tx: TenantTx, repositoryId: string): Promise<void> {
    const waiting = await tx.query('select from workflow_update where repository_id = $1', [repositoryId]);
    if (waiting.length > 0) await this.jobs.enqueue(tx, 'settle-workflow-update', { orgId: tx.orgId, repositoryId });
  }

  /** After a word of one: it may have been opened, and merged, by somebody who died before it was written down. */
  async askAfterHint(tx: TenantTx, repositoryId: string): Promise<void> {
    const installed = await tx.query('select from workflow_installation where repository_id = $1', [repositoryId]);
    if (installed.length > 0) await this.jobs.enqueue(tx, 'settle-workflow-update', { orgId: tx.orgId, repositoryId });
    else await this.askFor(tx, repositoryId);
  }
}
