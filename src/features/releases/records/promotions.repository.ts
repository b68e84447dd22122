import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../../database/database.js';
import type { Sha } from '../../../domain/facts/facts.js';
import { nextFreezeBoundary } from '../../../domain/policy/freeze.js';
import type { Freeze, PolicyState } from '../../../domain/policy/policy.js';
import type { Verdict, VerdictInputs } from '../../../domain/release/evaluate.js';

/** The single promotion attempt of a candidate. */
export interface PromotionClaim {
  readonly releaseId: string;
  readonly candidateSha: Sha;
}

interface UnfinishedPromotion extends PromotionClaim {
  readonly repositoryId: string;
  readonly version: string;
}

/** Stores which candidates were promoted, so that none is promoted twice. */
@Injectable()
export class PromotionsRepository {
  /**
   * Returns in how many seconds the candidate can be promoted: 0 if its gate is open, and the time until the next freeze begins or
   * ends if only a freeze keeps it closed, because no event announces that. Null if it cannot be promoted, or was.
   */
  async findDelay(
    tx: TenantTransaction,
    releaseId: string,
    verdict: Verdict,
    inputs: VerdictInputs,
  ): Promise<number | null> {
    if (!canBePromoted(verdict)) return null;
    const delaySeconds = verdict.gate.openUntil === null ? secondsToFreezeBoundary(verdict, inputs) : 0;
    return delaySeconds === null || (await this.isDecided(tx, releaseId, verdict)) ? null : delaySeconds;
  }

  /**
   * Reserves the single attempt of the candidate. The caller must have locked the release. Returns false if the gate is closed,
   * if the candidate was promoted, or if its gate first opened while promotion was manual.
   */
  async reserve(tx: TenantTransaction, releaseId: string, verdict: Verdict, now: Date): Promise<boolean> {
    if (!canBePromoted(verdict) || verdict.gate.openUntil === null) return false;
    if (await this.isDecided(tx, releaseId, verdict)) return false;
    await tx.query(
      `insert into promotion (org_id, release_id, candidate_sha, candidate_shas, claimed_at) values ($1, $2, $3, $4, $5)`,
      [tx.orgId, releaseId, verdict.candidateSha, verdict.candidateShas, now],
    );
    return true;
  }

  /** Releases the attempt, because GitHub certainly did not accept the promotion. */
  async release(tx: TenantTransaction, { releaseId, candidateSha }: PromotionClaim): Promise<void> {
    await tx.query(`delete from promotion where release_id = $1 and candidate_sha = $2 and outcome is null`, [
      releaseId,
      candidateSha,
    ]);
  }

  async setOutcome(
    tx: TenantTransaction,
    { releaseId, candidateSha }: PromotionClaim,
    outcome: 'sent' | 'unknown',
  ): Promise<void> {
    await tx.query(`update promotion set outcome = $3 where release_id = $1 and candidate_sha = $2`, [
      releaseId,
      candidateSha,
      outcome,
    ]);
  }

  /** Lists the attempts of a release that have no recorded result. */
  async listUnfinished(tx: TenantTransaction, releaseId: string): Promise<readonly UnfinishedPromotion[]> {
    return tx.query<UnfinishedPromotion>(
      `select p.release_id as "releaseId", p.candidate_sha as "candidateSha", r.repository_id as "repositoryId", r.version
       from promotion p join release r on r.id = p.release_id
       where p.release_id = $1 and p.outcome is null for update of p`,
      [releaseId],
    );
  }

  private async isDecided(tx: TenantTransaction, releaseId: string, { candidateShas }: Verdict): Promise<boolean> {
    const rows = await tx.query(
      `select from promotion where release_id = $1 and candidate_shas && $2
       union all
       select from decision where release_id = $1 and open and candidate_sha = any($2)
         and verdict ->> 'stage' = 'DEPLOYMENT' and verdict ->> 'promotion' = 'manual'
       limit 1`,
      [releaseId, candidateShas],
    );
    return rows.length > 0;
  }
}

const canBePromoted = ({ promotion, stage, cancelled, deleted, candidateSha }: Verdict): boolean =>
  promotion === 'auto' && stage === 'DEPLOYMENT' && !cancelled && !deleted && candidateSha !== null;

/** Returns the seconds until a freeze begins or ends; null if no freeze applies or none ends. */
function secondsToFreezeBoundary({ gate }: Verdict, { observations, overrides, now }: VerdictInputs): number | null {
  if (!gate.reasons.some(({ code }) => code === 'freeze')) return null;
  const policy = observations.find(({ kind }) => kind === 'policy')?.value as PolicyState | undefined;
  const policyFreezes: readonly Freeze[] = policy?.status === 'valid' ? policy.policy.freezes : [];
  const boundary = nextFreezeBoundary([...policyFreezes, ...overrides.freezes], now);
  return Number.isFinite(boundary) ? Math.ceil((boundary - now.getTime()) / 1000) : null;
}
