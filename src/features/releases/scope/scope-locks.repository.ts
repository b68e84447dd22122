import { Injectable } from '@nestjs/common';
import { clockSkewLimit } from '../../../auth/session/session-lifetime.js';
import type { TenantTransaction } from '../../../database/database.js';

/** The exclusive right to change an issue. */
export interface ScopeLock {
  readonly repositoryId: string;
  readonly issueNumber: number;
  readonly releaseId: string;
  /** A new value for each lock, so that a request whose lock expired cannot release the next one. */
  readonly holder: string;
}

/** When a lock begins and ends. */
export interface LockTerm {
  readonly now: Date;
  readonly until: Date;
}

/** Longer than a change may take, in milliseconds, so that no other change begins while a response of GitHub is outstanding. */
export const SCOPE_LOCK_MS = 45_000;

/**
 * Stores which issues are being changed, and whether the scope of a release is. A lock that ends later than possible comes from a
 * wrong clock and is ignored.
 */
@Injectable()
export class ScopeLocksRepository {
  async isTaken(
    tx: TenantTransaction,
    { repositoryId, issueNumber }: ScopeLock,
    { now, until }: LockTerm,
  ): Promise<boolean> {
    const rows = await tx.query(
      `select from scope_lock where repository_id = $1 and issue_number = $2 and expires_at > $3 and expires_at <= $4`,
      [repositoryId, issueNumber, now, clockSkewLimit(until)],
    );
    return rows.length > 0;
  }

  /** Returns false if another request has the lock. */
  async acquire(tx: TenantTransaction, claim: ScopeLock, { now, until }: LockTerm): Promise<boolean> {
    const rows = await tx.query(
      `insert into scope_lock as known (org_id, repository_id, issue_number, release_id, lock_token, expires_at)
       values ($1, $2, $3, $4, $5, $6)
       on conflict (org_id, repository_id, issue_number) do update
       set release_id = excluded.release_id, lock_token = excluded.lock_token, expires_at = excluded.expires_at
       where known.expires_at <= $7 or known.expires_at > $8
       returning lock_token`,
      [
        tx.orgId,
        claim.repositoryId,
        claim.issueNumber,
        claim.releaseId,
        claim.holder,
        until,
        now,
        clockSkewLimit(until),
      ],
    );
    return rows.length > 0;
  }

  /** Releases the lock. Returns false if it expired and another request took it. */
  async release(tx: TenantTransaction, { repositoryId, issueNumber, holder }: ScopeLock): Promise<boolean> {
    const rows = await tx.query(
      `delete from scope_lock where repository_id = $1 and issue_number = $2 and lock_token = $3 returning lock_token`,
      [repositoryId, issueNumber, holder],
    );
    return rows.length > 0;
  }

  /** Ignores locks that end later than possible, because they come from a wrong clock. */
  async isChanging(tx: TenantTransaction, releaseId: string, now: Date): Promise<boolean> {
    const rows = await tx.query(
      `select from scope_lock where release_id = $1 and expires_at > $2 and expires_at <= $3 limit 1`,
      [releaseId, now, clockSkewLimit(new Date(now.getTime() + SCOPE_LOCK_MS))],
    );
    return rows.length > 0;
  }
}
