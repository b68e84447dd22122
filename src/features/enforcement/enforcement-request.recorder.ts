import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import { Jobs } from '../../jobs/jobs.js';
import type { ProposedHead } from './proposed-head.js';

/** Asks for the check of what is proposed to be merged. */
@Injectable()
export class EnforcementRequestRecorder {
  constructor(private readonly jobs: Jobs) {}

  async askFor(tx: TenantTx, repositoryId: string, { sha, mergeGroup }: ProposedHead): Promise<void> {
    await this.jobs.add(
      tx,
      'check-head',
      { orgId: tx.orgId, repositoryId, headSha: sha, mergeGroup },
      {
        key: `check-head:${repositoryId}:${sha}`,
        // One after the other: two at once would each find none and make one.
        queue: { kind: 'enforcement', of: repositoryId },
      },
    );
  }
}
