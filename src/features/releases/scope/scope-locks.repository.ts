import { Injectable } from '@nestjs/common';
import { clockSkewLimit } from '../../../auth/session/session-lifetime.js';
import type { TenantTransaction } from '../../../database/database.js';

/** An issue that one request changes, and no other until it is done. */
export interface ScopeLock {
  readonly repositoryId: string;
  readonly issueNumber: number;
  readonly releaseId: string;
  /** Another one each time, so that whoever let a claim run out cannot end the next one's. */
  readonly holder: string;
}

/** From when on a claim holds, and until when. */
export interface LockTerm {
  readonly now: Date;
  readonly until: Date;
}

/** Longer than a change may take, so that nobody else begins one while an answer of the host is waited for. */
export const SCOPE_LOCK_MS = 45_000;

/** Which issues are being changed. A claim that reaches further than any can was made by a clock that was wrong. Whether somebody changes the scope of a release. */
@Injectable()
export class ScopeLocksRepository {
  async isTaken(
    tx: TenantTransaction,
    { repositoryId, issueNumber }: ScopeLock,
    { now, until }: LockTerm,
  ): Promise<boolean> {
    const rows = await tx.query(
      `select from scope_claim where repository_id = $1 and issue_number = $2 and until > $3 and until <= $4`,
      [repositoryId, issueNumber, now, clockSkewLimit(until)],
    );
    return rows.length > 0;
  }

  /** False where somebody else has it. */
  async acquire(tx: TenantTransaction, claim: ScopeLock, { now, until }: LockTerm): Promise<boolean> {
    const rows = await tx.query(
      `insert into scope_claim as known (org_id, repository_id, issue_number, release_id, holder, until)
       values ($1, $2, $3, $4, $5, $6)
       on conflict (org_id, repository_id, issue_number) do update
       set release_id = excluded.release_id, holder = excluded.holder, until = excluded.until
       where known.until <= $7 or known.until > $8
       returning holder`,
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

  /** Gives it back; false where it ran out and somebody else took it. */
  async release(tx: TenantTransaction, { repositoryId, issueNumber, holder }: ScopeLock): Promise<boolean> {
    const rows = await tx.query(
      `delete from scope_claim where repository_id = $1 and issue_number = $2 and holder = $3 returning holder`,
      [repositoryId, issueNumber, holder],
    );
    return rows.length > 0;
  }

  /** One that reaches further than any can by now was made by a clock that was wrong, and keeps nothing waiting. */
  async isChanging(tx: TenantTransaction, releaseId: string, now: Date): Promise<boolean> {
    const rows = await tx.query(
      `select from scope_claim where release_id = $1 and until > $2 and until <= $3 limit 1`,
      [releaseId, now, clockSkewLimit(new Date(now.getTime() + SCOPE_LOCK_MS))],
    );
    return rows.length > 0;
  }
}
