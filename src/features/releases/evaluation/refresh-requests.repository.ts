import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../../database/database.js';
import type { Sha } from '../../../domain/facts/facts.js';
import { JobsService } from '../../../jobs/jobs.service.js';

/** How many seconds before its expiry a verdict is renewed while a deployment waits. */
const RENEWED_AHEAD_S = 60;
/** GitHub fails a job that waited 30 days for a review. */
const LONGEST_WAIT_MS = 31 * 86_400_000;

/** Enqueues jobs that refresh and evaluate releases. */
@Injectable()
export class RefreshRequests {
  constructor(private readonly jobs: JobsService) {}

  /**
   * Enqueues a refresh before the verdict of an open gate expires if a deployment of its candidate waits for approval. No request
   * checks the gate at that time, and an expired verdict would leave the deployment without a decision.
   */
  async renewForWaiting(
    tx: TenantTransaction,
    { id: releaseId, repositoryId }: { readonly id: string; readonly repositoryId: string },
    {
      candidateShas,
      openUntil,
      now,
    }: { readonly candidateShas: readonly Sha[]; readonly openUntil: number; readonly now: Date },
  ): Promise<void> {
    const waiting = await tx.queryPrepared(
      'find_waiting_deployment',
      `select from deployment where repository_id = $1 and waiting and state = 'pending' and sha = any($2) and began_at > $3
       limit 1`,
      [repositoryId, candidateShas, new Date(now.getTime() - LONGEST_WAIT_MS)],
    );
    if (waiting.length === 0) return;
    const delaySeconds = Math.max(RENEWED_AHEAD_S / 2, (openUntil - now.getTime()) / 1000 - RENEWED_AHEAD_S);
    const payload = { orgId: tx.orgId, releaseId, isRenewal: true } as const;
    await this.jobs.enqueue(tx, 'force-refresh-release', payload, { delaySeconds });
  }

  /** A delayed refresh also serves later requests, unless one of them is immediate. */
  async askFor(tx: TenantTransaction, releaseIds: readonly string[], cause: string, delaySeconds = 0): Promise<void> {
    for (const releaseId of releaseIds) {
      const payload = { orgId: tx.orgId, releaseId, cause };
      await this.jobs.enqueue(tx, 'refresh-release', payload, { delaySeconds, preservesRunAt: delaySeconds > 0 });
    }
  }
}
