import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import { Jobs } from '../../jobs/jobs.js';

/** Asks that it be looked whether the pull request of a workflow update was merged or closed. */
@Injectable()
export class WorkflowUpdatePursuits {
  constructor(private readonly jobs: Jobs) {}

  /** Adds nothing where none waits, so that it may be asked at every hint. */
  async askFor(tx: TenantTx, repositoryId: string): Promise<void> {
    const waiting = await tx.query('select from workflow_update where repository_id = $1', [repositoryId]);
    if (waiting.length === 0) return;
    await this.jobs.add(
      tx,
      'settle-workflow-update',
      { orgId: tx.orgId, repositoryId },
      { key: `settle-workflow-update:${repositoryId}`, queue: { kind: 'workflow-update', of: repositoryId } },
    );
  }
}
