import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../../database/database.js';
import type { AppliedOverride } from '../../../domain/override/override.js';
import type { Stored, StoredInputs } from '../../../domain/release/replay.js';
import { toOverrideDto } from '../gate/gate.dto.js';
import type { DecisionDetailDto, DecisionDto } from './decisions.dto.js';

/** A decision with its inputs, which name the rules that made it. */
export type DecisionWithInputs = Omit<DecisionDetailDto, 'rules' | 'rulesChanged'> & { readonly inputs: StoredInputs };

const SUMMARY = `id, at, open, verdict ->> 'stage' as stage, candidate_sha as "candidateSha",
  policy_digest as "policyDigest", verdict -> 'gate' -> 'reasons' as reasons,
  coalesce(verdict -> 'overrides', '[]') as overrides`;

/** Reads the decisions about a release. */
@Injectable()
export class DecisionsQueries {
  async count(tx: TenantTransaction, releaseId: string): Promise<number> {
    const [row] = await tx.query<{ readonly count: number }>(
      `select count(*)::int as count from decision where release_id = $1`,
      [releaseId],
    );
    return row?.count ?? 0;
  }

  /** Newest first. */
  async listPage(
    tx: TenantTransaction,
    releaseId: string,
    limit: number,
    offset: number,
  ): Promise<readonly DecisionDto[]> {
    const rows = await tx.query<WithStoredOverrides<DecisionDto>>(
      `select ${SUMMARY} from decision where release_id = $1 order by sequence desc limit $2 offset $3`,
      [releaseId, limit, offset],
    );
    return rows.map(withOverrides);
  }

  /** Lists the newest decisions before the given one; null means all. */
  async listBefore(
    tx: TenantTransaction,
    releaseId: string,
    before: string | null,
    limit: number,
  ): Promise<readonly DecisionDto[]> {
    const rows = await tx.query<WithStoredOverrides<DecisionDto>>(
      `select ${SUMMARY} from decision
       where release_id = $1 and ($2::uuid is null or sequence < (select sequence from decision where id = $2))
       order by sequence desc limit $3`,
      [releaseId, before, limit],
    );
    return rows.map(withOverrides);
  }

  async find(tx: TenantTransaction, releaseId: string, id: string): Promise<DecisionWithInputs | null> {
    const [row] = await tx.query<WithStoredOverrides<DecisionWithInputs>>(
      `select ${SUMMARY}, release_id as "milestoneId", verdict, inputs from decision where release_id = $1 and id = $2`,
      [releaseId, id],
    );
    return row ? withOverrides(row) : null;
  }
}

type WithStoredOverrides<Decision> = Omit<Decision, 'overrides'> & {
  readonly overrides: readonly Stored<AppliedOverride>[];
};

const withOverrides = <Row extends { readonly overrides: readonly Stored<AppliedOverride>[] }>(row: Row) => ({
  ...row,
  overrides: row.overrides.map(toOverrideDto),
});
