import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../database/database.js';
import type { UserRef, BreakGlass, TwoPersonOverride, Waiver } from '../../domain/override/override.js';

interface ActRow {
  readonly id: string;
  readonly reason: string;
  readonly requested_by: string;
  readonly requested_by_login: string;
  readonly confirmed_by: string | null;
  readonly confirmed_by_login: string | null;
  readonly confirmed_at: Date | null;
  readonly expires_at: Date;
}

interface WaiverRow extends ActRow {
  readonly condition: string;
  readonly details: readonly string[];
  readonly candidate_sha: string;
}

interface BreakGlassRow extends ActRow {
  readonly sha: string;
}

/** A request that is written down before anybody confirmed it. */
export type NewOverride<A extends TwoPersonOverride> = Omit<A, 'confirmedBy' | 'confirmedAt'> & {
  readonly releaseId: string;
  readonly requestedAt: Date;
};

/** Which kind of act, and the table that holds it. */
export type OverrideKind = 'waiver' | 'break_glass';
export interface OverrideByKind {
  readonly waiver: Waiver;
  readonly break_glass: BreakGlass;
}

const ACT = `id, reason, requested_by, requested_by_login, confirmed_by, confirmed_by_login, confirmed_at, expires_at`;
const COLUMNS: Readonly<Record<OverrideKind, string>> = {
  waiver: `${ACT}, condition, details, candidate_sha`,
  break_glass: `${ACT}, sha`,
};
const STANDS = `release_id = $1 and withdrawn_at is null and expires_at > $2`;

/** What two people set aside of a release, or one asks another to. What was withdrawn or is over is kept, and not found. */
@Injectable()
export class OverridesRepository {
  async addWaiver(tx: TenantTransaction, act: NewOverride<Waiver>): Promise<void> {
    const { id, releaseId, condition, details, candidateSha, reason, requestedBy, requestedAt, expiresAt } = act;
    await tx.query(
      `insert into waiver (org_id, id, release_id, condition, details, candidate_sha, reason, requested_by,
         requested_by_login, requested_at, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
      [
        tx.orgId,
        id,
        releaseId,
        condition,
        details,
        candidateSha,
        reason,
        requestedBy.id,
        requestedBy.login,
        requestedAt,
        expiresAt,
      ],
    );
  }

  async addBreakGlass(tx: TenantTransaction, act: NewOverride<BreakGlass>): Promise<void> {
    const { id, releaseId, sha, reason, requestedBy, requestedAt, expiresAt } = act;
    await tx.query(
      `insert into break_glass (org_id, id, release_id, sha, reason, requested_by, requested_by_login, requested_at,
         expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [tx.orgId, id, releaseId, sha, reason, requestedBy.id, requestedBy.login, requestedAt, expiresAt],
    );
  }

  /** Those that hold or wait for their confirmation, the oldest first. */
  async list<K extends OverrideKind>(
    tx: TenantTransaction,
    kind: K,
    releaseId: string,
    now: Date,
  ): Promise<readonly OverrideByKind[K][]> {
    const rows = await tx.query<WaiverRow & BreakGlassRow>(
      `select ${COLUMNS[kind]} from ${kind} where ${STANDS} order by requested_at, id`,
      [releaseId, now],
    );
    return rows.map((row) => actOf(kind, row));
  }

  async confirm(tx: TenantTransaction, kind: OverrideKind, act: TwoPersonOverride): Promise<void> {
    await tx.query(
      `update ${kind} set confirmed_by = $2, confirmed_by_login = $3, confirmed_at = $4, expires_at = $5
       where id = $1 and confirmed_at is null`,
      [act.id, act.confirmedBy?.id, act.confirmedBy?.login, act.confirmedAt, act.expiresAt],
    );
  }

  async withdraw(tx: TenantTransaction, kind: OverrideKind, id: string, by: UserRef, at: Date): Promise<void> {
    await tx.query(`update ${kind} set withdrawn_by = $2, withdrawn_at = $3 where id = $1`, [id, by.id, at]);
  }

  /** Whether the person is an admin, and stays one until the transaction ends. */
  async isAdmin(tx: TenantTransaction, person: number): Promise<boolean> {
    return (await tx.query(`select from member where person = $1 and role = 'admin' for share`, [person])).length > 0;
  }
}

function actOf<K extends OverrideKind>(kind: K, row: WaiverRow & BreakGlassRow): OverrideByKind[K] {
  const act: TwoPersonOverride = {
    id: row.id,
    reason: row.reason,
    requestedBy: { id: Number(row.requested_by), login: row.requested_by_login },
    confirmedBy:
      row.confirmed_by === null ? null : { id: Number(row.confirmed_by), login: row.confirmed_by_login ?? '' },
    confirmedAt: row.confirmed_at,
    expiresAt: row.expires_at,
  };
  const own =
    kind === 'waiver'
      ? { condition: row.condition, details: row.details, candidateSha: row.candidate_sha }
      : { sha: row.sha };
  return { ...act, ...own } as unknown as OverrideByKind[K];
}
