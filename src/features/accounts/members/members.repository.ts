import { Injectable } from '@nestjs/common';
import { roleMissing } from '../../../auth/auth.errors.js';
import { clockSkewLimit } from '../../../auth/session/session-lifetime.js';
import type { MemberRole, Membership } from '../../../auth/user.js';
import { Clock } from '../../../config/clock.js';
import type { TenantTransaction } from '../../../database/database.js';

/** Somebody who becomes a member. */
export interface NewMember {
  readonly userId: number;
  readonly role: MemberRole;
  readonly joinedAt: Date;
}

export interface StoredMember extends Membership {
  readonly userId: number;
  /** Counts the hints that what the person may read has changed. */
  readonly accessDoubts: number;
}

/** What the code host let a person read at one moment. */
export interface RepositoryAccessSnapshot {
  /** The private repositories, by the host's ids. */
  readonly repositoryIds: readonly number[];
  readonly observedAt: Date;
  /** The doubts that there were before the host was asked. */
  readonly accessDoubts: number;
}

interface MemberRow {
  readonly person: string;
  readonly login: string;
  readonly role: MemberRole;
  readonly confirmed_at: Date;
  readonly access_observed_at: Date | null;
  readonly access_doubts: number;
}

const SELECT = `
  select m.person, o.login, m.role, m.confirmed_at, m.access_observed_at, m.access_doubts
  from member m join organization o on o.org_id = m.org_id`;

const memberOf = ({ orgId }: TenantTransaction, row: MemberRow): StoredMember => ({
  userId: Number(row.person),
  orgId,
  org: row.login,
  role: row.role,
  confirmedAt: row.confirmed_at,
  accessObservedAt: row.access_observed_at,
  accessDoubts: row.access_doubts,
});

/** The rows of members and of what they may read. Of two words of the host the later one counts, but for one of the future: that was written by a clock that was wrong, and gives way to any other. The office of an admin, asked for in the transaction of what it is needed for. */
@Injectable()
export class MembersRepository {
  constructor(private readonly clock: Clock) {}

  async find(tx: TenantTransaction, userId: number): Promise<StoredMember | null> {
    const [row] = await tx.query<MemberRow>(`${SELECT} where m.person = $1`, [userId]);
    return row ? memberOf(tx, row) : null;
  }

  async list(tx: TenantTransaction): Promise<readonly StoredMember[]> {
    const rows = await tx.query<MemberRow>(`${SELECT} order by m.person`);
    return rows.map((row) => memberOf(tx, row));
  }

  /** Who of the members has a personal key that still opens something. */
  async listWithKeys(tx: TenantTransaction, now: Date): Promise<readonly number[]> {
    const rows = await tx.query<{ readonly person: string }>(
      `select distinct person from personal_key where revoked_at is null and expires_at > $1`,
      [now],
    );
    return rows.map(({ person: userId }) => Number(userId));
  }

  /** Makes the person a member, whom the host named as one of the organization; false where they are one already. */
  async create(tx: TenantTransaction, { userId, role, joinedAt }: NewMember, confirmedAt: Date): Promise<boolean> {
    const joined = await tx.query(
      `insert into member (org_id, person, role, joined_at, confirmed_at) values ($1, $2, $3, $4, $5)
       on conflict (org_id, person) do nothing returning person`,
      [tx.orgId, userId, role, joinedAt, confirmedAt],
    );
    return joined.length > 0;
  }

  /** Makes a member an admin; false where they are one already, or no member. */
  async promote(tx: TenantTransaction, userId: number): Promise<boolean> {
    const raised = await tx.query(
      `update member set role = 'admin' where person = $1 and role <> 'admin' returning person`,
      [userId],
    );
    return raised.length > 0;
  }

  /**
   * Notes that the host said of these people that they belong to the organization, but for those of whom something has
   * hinted since that they do not.
   */
  async confirm(tx: TenantTransaction, userIds: readonly number[], observedAt: Date): Promise<void> {
    await tx.query(
      `update member set confirmed_at = case when confirmed_at > $3 then $2 else greatest(confirmed_at, $2) end
       where person = any ($1::bigint[]) and (doubted_at is null or doubted_at < $2 or doubted_at > $3)`,
      [userIds, observedAt, this.future()],
    );
  }

  /** Locks the member, of whom the host's word is not newer than the given moment; false where there is no such. */
  async lockUnconfirmed(tx: TenantTransaction, userId: number, since: Date): Promise<boolean> {
    const rows = await tx.query(
      `select from member where person = $1 and (confirmed_at <= $2 or confirmed_at > $3) for update`,
      [userId, since, this.future()],
    );
    return rows.length > 0;
  }

  /**
   * Keeps what the person may read instead of what was kept. An answer that is older than the one kept, or that was
   * asked for before something hinted that it changed, is dropped: false.
   */
  async replaceAccess(tx: TenantTransaction, userId: number, access: RepositoryAccessSnapshot): Promise<boolean> {
    const { repositoryIds, observedAt, accessDoubts } = access;
    const current = await tx.query(
      `update member set access_observed_at = $2
       where person = $1 and access_doubts = $3 and (joined_at <= $2 or joined_at > $4)
         and (access_observed_at is null or access_observed_at <= $2 or access_observed_at > $4)
       returning person`,
      [userId, observedAt, accessDoubts, this.future()],
    );
    if (current.length === 0) return false;
    await tx.query(`delete from repository_access where person = $1 and repository_github_id <> all ($2::bigint[])`, [
      userId,
      repositoryIds,
    ]);
    await tx.query(
      `insert into repository_access (org_id, person, repository_github_id)
       select $1, $2, unnest($3::bigint[]) on conflict do nothing`,
      [tx.orgId, userId, repositoryIds],
    );
    return true;
  }

  /** That these people belong to the organization counts as said so long ago that it must be asked again. */
  async invalidateMembership(tx: TenantTransaction, userIds: readonly number[]): Promise<void> {
    await tx.query(`update member set confirmed_at = 'epoch', doubted_at = $2 where person = any ($1::bigint[])`, [
      userIds,
      this.clock.now(),
    ]);
  }

  /** Forgets what these people may read, or null for all of the members, until the host was asked again. */
  async invalidateAccess(tx: TenantTransaction, userIds: readonly number[] | null): Promise<void> {
    await tx.query(
      `update member set access_observed_at = null, access_doubts = access_doubts + 1
       where $1::bigint[] is null or person = any ($1)`,
      [userIds],
    );
    await tx.query(`delete from repository_access where $1::bigint[] is null or person = any ($1)`, [userIds]);
  }

  /** From this moment on nothing can have been observed yet. */
  private future(): Date {
    return clockSkewLimit(this.clock.now());
  }

  /**
   * Throws `forbidden` where the person is an admin no more: they may have been demoted or removed since their request was
   * let in. Whoever wants to do that now waits until the transaction ends.
   */
  async lockAdmin(tx: TenantTransaction, userId: number): Promise<void> {
    const held = await tx.query(`select from member where person = $1 and role = 'admin' for share`, [userId]);
    if (held.length === 0) throw roleMissing('admin');
  }
}
