import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../database/database.js';
import type { UserRef, BreakGlass, TwoPersonOverride, Waiver } from '../../domain/override/override.js';

interface OverrideRow {
  readonly id: string;
  readonly reason: string;
  readonly requested_by: string;
  readonly requested_by_login: string;
  readonly confirmed_by: string | null;
  readonly confirmed_by_login: string | null;
  readonly confirmed_at: Date | null;
  readonly expires_at: Date;
}

interface WaiverRow extends OverrideRow {
  readonly condition: string;
  readonly details: readonly string[];
  readonly candidate_sha: string;
}

interface BreakGlassRow extends OverrideRow {
  readonly sha: string;
}

/** A request before its confirmation. */
export type NewOverride<A extends TwoPersonOverride> = Omit<A, 'confirmedBy' | 'confirmedAt'> & {
  readonly releaseId: string;
  readonly requestedAt: Date;
};

/** The kind of an override. */
export type OverrideKind = 'waiver' | 'break_glass';
export interface OverrideByKind {
  readonly waiver: Waiver;
  readonly break_glass: BreakGlass;
}

const OVERRIDE_COLUMNS = `id, reason, requested_by, requested_by_login, confirmed_by, confirmed_by_login, confirmed_at, expires_at`;
const COLUMNS: Readonly<Record<OverrideKind, string>> = {
  waiver: `${OVERRIDE_COLUMNS}, condition, details, candidate_sha`,
  break_glass: `${OVERRIDE_COLUMNS}, commit_sha as sha`,
};
const TABLES: Readonly<Record<OverrideKind, string>> = { waiver: 'waiver', break_glass: 'break_glass_request' };
const IS_ACTIVE = `release_id = $1 and withdrawn_at is null and expires_at > $2`;

/** Stores the overrides of releases. Withdrawn and expired ones stay stored, but are not found. */
@Injectable()
export class OverridesRepository {
  async addWaiver(tx: TenantTransaction, override: NewOverride<Waiver>): Promise<void> {
    const { id, releaseId, condition, details, candidateSha, reason, requestedBy, requestedAt, expiresAt } = override;
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

  async addBreakGlass(tx: TenantTransaction, override: NewOverride<BreakGlass>): Promise<void> {
    const { id, releaseId, sha, reason, requestedBy, requestedAt, expiresAt } = override;
    await tx.query(
      `insert into break_glass_request (org_id, id, release_id, commit_sha, reason, requested_by, requested_by_login, requested_at,
         expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [tx.orgId, id, releaseId, sha, reason, requestedBy.id, requestedBy.login, requestedAt, expiresAt],
    );
  }

  /** Lists the overrides that are in effect or wait for a confirmation, oldest first. */
  async list<K extends OverrideKind>(
    tx: TenantTransaction,
    kind: K,
    releaseId: string,
    now: Date,
  ): Promise<readonly OverrideByKind[K][]> {
    const rows = await tx.query<WaiverRow & BreakGlassRow>(
      `select ${COLUMNS[kind]} from ${TABLES[kind]} where ${IS_ACTIVE} order by requested_at, id`,
      [releaseId, now],
    );
    return rows.map((row) => toOverride(kind, row));
  }

  async confirm(tx: TenantTransaction, kind: OverrideKind, override: TwoPersonOverride): Promise<void> {
    await tx.query(
      `update ${TABLES[kind]} set confirmed_by = $2, confirmed_by_login = $3, confirmed_at = $4, expires_at = $5
       where id = $1 and confirmed_at is null`,
      [override.id, override.confirmedBy?.id, override.confirmedBy?.login, override.confirmedAt, override.expiresAt],
    );
  }

  async withdraw(tx: TenantTransaction, kind: OverrideKind, id: string, by: UserRef, at: Date): Promise<void> {
    await tx.query(`update ${TABLES[kind]} set withdrawn_by = $2, withdrawn_at = $3 where id = $1`, [id, by.id, at]);
  }

  /** Whether the user is an admin. The role cannot change before the transaction ends. */
  async isAdmin(tx: TenantTransaction, userId: number): Promise<boolean> {
    return (await tx.query(`select from member where person = $1 and role = 'admin' for share`, [userId])).length > 0;
  }
}

function toOverride<K extends OverrideKind>(kind: K, row: WaiverRow & BreakGlassRow): OverrideByKind[K] {
  const override: TwoPersonOverride = {
    id: row.id,
    reason: row.reason,
    requestedBy: { id: Number(row.requested_by), login: row.requested_by_login },
    confirmedBy:
      row.confirmed_by === null ? null : { id: Number(row.confirmed_by), login: row.confirmed_by_login ?? '' },
    confirmedAt: row.confirmed_at,
    expiresAt: row.expires_at,
  };
  const specific =
    kind === 'waiver'
      ? { condition: row.condition, details: row.details, candidateSha: row.candidate_sha }
      : { sha: row.sha };
  return { ...override, ...specific } as unknown as OverrideByKind[K];
}
