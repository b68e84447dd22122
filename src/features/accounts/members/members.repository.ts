import { Injectable } from '@nestjs/common';
import { In, IsNull, Not } from 'typeorm';
import { roleMissing } from '../../../auth/auth.errors.js';
import { clockSkewLimit } from '../../../auth/session/session-lifetime.js';
import type { MemberRole, Membership } from '../../../auth/user.js';
import { Clock } from '../../../config/clock.js';
import type { TenantTransaction } from '../../../database/database.js';
import { PersonalKeyEntity, InviteEntity, MemberEntity } from '../../../database/entities.js';

/** A user who becomes a member. */
export interface NewMember {
  readonly userId: number;
  readonly role: MemberRole;
  readonly joinedAt: Date;
}

/** The role of a former member, and the numbers of keys and invites that were revoked. */
interface RemovedMember {
  readonly role: MemberRole;
  readonly keysRevoked: number;
  readonly invitesRevoked: number;
}

export interface StoredMember extends Membership {
  readonly userId: number;
  /** Counts the invalidations of the member's repository access. */
  readonly accessGeneration: number;
}

/** The private repositories that a user could read on GitHub at one time. */
export interface RepositoryAccessSnapshot {
  /** The GitHub ids of the private repositories. */
  readonly repositoryIds: readonly number[];
  readonly observedAt: Date;
  /** The generation of the member before the request to GitHub. */
  readonly accessGeneration: number;
}

const SELECT = `
  select m.person::float8 as "userId", m.org_id as "orgId", o.login as org, m.role, m.confirmed_at as "confirmedAt",
    m.access_observed_at as "accessObservedAt", m.access_doubts as "accessGeneration"
  from member m join organization o on o.org_id = m.org_id`;

/**
 * The members of a workspace and the private repositories that they can read. The later of two observations counts. An
 * observation in the future was written with a wrong clock, and any other one replaces it.
 */
@Injectable()
export class MembersRepository {
  constructor(private readonly clock: Clock) {}

  async find(tx: TenantTransaction, userId: number): Promise<StoredMember | null> {
    const [member] = await tx.query<StoredMember>(`${SELECT} where m.person = $1`, [userId]);
    return member ?? null;
  }

  async list(tx: TenantTransaction): Promise<readonly StoredMember[]> {
    return tx.query<StoredMember>(`${SELECT} order by m.person`);
  }

  /** Returns the users who have a personal key that is neither revoked nor expired. */
  async listUserIdsWithActiveKey(tx: TenantTransaction, now: Date): Promise<readonly number[]> {
    const rows = await tx.query<{ readonly userId: number }>(
      `select distinct person::float8 as "userId" from personal_key where revoked_at is null and expires_at > $1`,
      [now],
    );
    return rows.map(({ userId }) => userId);
  }

  /** Adds a user whom GitHub listed in the organization at `confirmedAt`. Returns false if the user is a member already. */
  async create(tx: TenantTransaction, { userId, role, joinedAt }: NewMember, confirmedAt: Date): Promise<boolean> {
    const created = await tx.query(
      `insert into member (org_id, person, role, joined_at, confirmed_at) values ($1, $2, $3, $4, $5)
       on conflict (org_id, person) do nothing returning person`,
      [tx.orgId, userId, role, joinedAt, confirmedAt],
    );
    return created.length > 0;
  }

  /** Makes a member an admin. Returns false if the user is an admin already or no member. */
  async promote(tx: TenantTransaction, userId: number): Promise<boolean> {
    return (await tx.manager.update(MemberEntity, { userId, role: Not('admin') }, { role: 'admin' })).affected === 1;
  }

  /**
   * Deletes the member and revokes the user's personal keys and invites, which a later membership does not restore. Returns null if
   * the user is no member.
   */
  async delete(tx: TenantTransaction, userId: number): Promise<RemovedMember | null> {
    const [member] = await tx.query<Pick<MemberEntity, 'role'>>('delete from member where person = $1 returning role', [
      userId,
    ]);
    if (!member) return null;
    const revokedAt = this.clock.now();
    const keys = await tx.manager.update(PersonalKeyEntity, { userId, revokedAt: IsNull() }, { revokedAt });
    const pending = { createdBy: userId, acceptedAt: IsNull(), revokedAt: IsNull() };
    const invites = await tx.manager.update(InviteEntity, pending, { revokedAt });
    return { role: member.role, keysRevoked: keys.affected ?? 0, invitesRevoked: invites.affected ?? 0 };
  }

  /** Saves that GitHub listed these users in the organization. Skips members whose membership was invalidated later. */
  async confirm(tx: TenantTransaction, userIds: readonly number[], observedAt: Date): Promise<void> {
    await tx.query(
      `update member set confirmed_at = case when confirmed_at > $3 then $2 else greatest(confirmed_at, $2) end
       where person = any ($1::bigint[]) and (doubted_at is null or doubted_at < $2 or doubted_at > $3)`,
      [userIds, observedAt, this.latestPossible()],
    );
  }

  /** Locks the member. Returns false if the user is no member or was confirmed after `since`. */
  async lockUnconfirmed(tx: TenantTransaction, userId: number, since: Date): Promise<boolean> {
    const rows = await tx.query(
      `select from member where person = $1 and (confirmed_at <= $2 or confirmed_at > $3) for update`,
      [userId, since, this.latestPossible()],
    );
    return rows.length > 0;
  }

  /**
   * Replaces the repositories that the user can read. Returns false and changes nothing if the snapshot is older than the
   * stored one, or if the access was invalidated after the request to GitHub.
   */
  async replaceAccess(tx: TenantTransaction, userId: number, access: RepositoryAccessSnapshot): Promise<boolean> {
    const { repositoryIds, observedAt, accessGeneration } = access;
    const current = await tx.query(
      `update member set access_observed_at = $2
       where person = $1 and access_doubts = $3 and (joined_at <= $2 or joined_at > $4)
         and (access_observed_at is null or access_observed_at <= $2 or access_observed_at > $4)
       returning person`,
      [userId, observedAt, accessGeneration, this.latestPossible()],
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

  /** Marks the memberships as unconfirmed until the next request to GitHub. */
  async invalidateMembership(tx: TenantTransaction, userIds: readonly number[]): Promise<void> {
    const invalidated = { confirmedAt: new Date(0), membershipInvalidatedAt: this.clock.now() };
    await tx.manager.update(MemberEntity, { userId: In(userIds) }, invalidated);
  }

  /** Deletes what these users, or with null all members, can read, until the next request to GitHub. */
  async invalidateAccess(tx: TenantTransaction, userIds: readonly number[] | null): Promise<void> {
    await tx.query(
      `update member set access_observed_at = null, access_doubts = access_doubts + 1
       where $1::bigint[] is null or person = any ($1)`,
      [userIds],
    );
    await tx.query(`delete from repository_access where $1::bigint[] is null or person = any ($1)`, [userIds]);
  }

  /** Returns the time after which no observation can be correct. */
  private latestPossible(): Date {
    return clockSkewLimit(this.clock.now());
  }

  /**
   * Locks the membership of an admin, so that the user stays an admin until the transaction ends. Throws `forbidden` if the
   * user is no admin now: the role may have changed since the request was authorized.
   */
  async lockAdmin(tx: TenantTransaction, userId: number): Promise<void> {
    if (!(await this.lockIfAdmin(tx, userId))) throw roleMissing('admin');
  }

  /** Does the same, but returns false if the user is no admin. */
  async lockIfAdmin(tx: TenantTransaction, userId: number): Promise<boolean> {
    return (await tx.query(`select from member where person = $1 and role = 'admin' for share`, [userId])).length > 0;
  }
}
