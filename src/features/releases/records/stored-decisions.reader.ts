import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../../database/database.js';
import type { DecisionSummary, StoredDecision } from './stored-decision.js';

const SUMMARY = `id, at, open, verdict ->> 'stage' as stage, candidate_sha as "candidateSha",
  policy_digest as "policyDigest", verdict -> 'gate' -> 'reasons' as reasons,
  coalesce(verdict -> 'overrides', '[]') as overrides`;

/** A part of a list, and where the next part begins; null where there is none. */
export interface DecisionBatch {
  readonly decisions: readonly DecisionSummary[];
  readonly last: string | null;
}

/** What was decided of releases. */
@Injectable()
export class StoredDecisionsReader {
  async count(tx: TenantTx, releaseId: string): Promise<number> {
    const [row] = await tx.query<{ readonly count: number }>(
      `select count(*)::int as count from decision where release_id = $1`,
      [releaseId],
    );
    return row?.count ?? 0;
  }

  /** The newest first. */
  async listPage(tx: TenantTx, releaseId: string, limit: number, offset: number): Promise<readonly DecisionSummary[]> {
    return tx.query<DecisionSummary>(
      `select ${SUMMARY} from decision where release_id = $1 order by sequence desc limit $2 offset $3`,
      [releaseId, limit, offset],
    );
  }

  /** The newest before the place that the last batch named. */
  async listBefore(tx: TenantTx, releaseId: string, before: string | null, limit: number): Promise<DecisionBatch> {
    const rows = await tx.query<DecisionSummary & { readonly sequence: string }>(
      `select ${SUMMARY}, sequence from decision where release_id = $1 and ($2::bigint is null or sequence < $2)
       order by sequence desc limit $3`,
      [releaseId, before, limit],
    );
    const last = rows.length < limit ? null : (rows.at(-1)?.sequence ?? null);
    return { decisions: rows, last };
  }

  async find(tx: TenantTx, releaseId: string, id: string): Promise<StoredDecision | null> {
    const [row] = await tx.query<StoredDecision>(
      `select ${SUMMARY}, release_id as "milestoneId", verdict, inputs from decision where release_id = $1 and id = $2`,
      [releaseId, id],
    );
    return row ?? null;
  }
}
