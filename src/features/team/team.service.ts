import { Injectable } from '@nestjs/common';
import type { Member } from '../../auth/caller.js';
import type { MemberRole, User } from '../../auth/user.js';
import { Database, type TenantTransaction } from '../../database/database.js';
import { MemberRemovalService } from '../accounts/members/member-removal.service.js';
import { MembersRepository } from '../accounts/members/members.repository.js';
import { UsersRepository } from '../accounts/users/users.repository.js';
import { AuditLogService } from '../audit/audit-log.service.js';
import { InvitesRepository, type StoredInvite } from './invites.repository.js';
import { InvitesService } from './invites.service.js';
import type { MemberDto, PendingInviteDto, TeamDto } from './team.dto.js';
import { lastAdmin, memberNotFound } from './team.errors.js';
import { TeamRepository } from './team.repository.js';

/** Every member and every former member has signed in, so the user is stored. */
function getUser(users: ReadonlyMap<number, User>, id: number): User {
  const user = users.get(id);
  if (!user) throw new Error(`User ${id} belongs to a team and never signed in.`);
  return user;
}

/** The ids of GitHub begin at 1, and are written without a sign or leading zeros. */
const USER_ID = /^[1-9]\d{0,15}$/;

/** Lists, changes and removes the members of a workspace. An admin can never remove or demote the last admin. */
@Injectable()
export class TeamService {
  constructor(
    private readonly database: Database,
    private readonly team: TeamRepository,
    private readonly members: MembersRepository,
    private readonly invites: InvitesService,
    private readonly storedInvites: InvitesRepository,
    private readonly removal: MemberRemovalService,
    private readonly users: UsersRepository,
    private readonly audit: AuditLogService,
  ) {}

  /** Lists the members by login and the invites newest first. */
  async list({ orgId }: Member): Promise<TeamDto> {
    const { members, invites } = await this.database.inTenant(orgId, async (tx) => ({
      members: await this.team.list(tx),
      invites: await this.storedInvites.listOpen(tx),
    }));
    const ids = new Set([...members.map(({ userId }) => userId), ...invites.map(({ createdBy }) => createdBy)]);
    const users = await this.users.list([...ids]);
    return {
      members: members.map((member) => toMember(getUser(users, member.userId), member)).sort(byLogin),
      invites: invites.map((invite) => toPendingInvite(invite, getUser(users, invite.createdBy))),
    };
  }

  /**
   * Changes the role of a member, from the member's next request on. The pending invites of a former admin are revoked. Throws
   * `conflict` for the last admin, `forbidden` if the caller is not an admin any more.
   */
  async changeRole({ orgId, user: admin }: Member, userId: string, role: MemberRole): Promise<MemberDto> {
    const user = await this.getKnownUser(userId);
    return this.database.inTenant(orgId, async (tx) => {
      await this.team.lock(tx);
      const member = await this.team.find(tx, user.id);
      if (member?.role === 'admin' && role !== 'admin') await this.assertOtherAdmin(tx, user.id);
      await this.members.lockAdmin(tx, admin.id);
      if (member === null) throw memberNotFound();
      if (member.role === role) return toMember(user, member);
      if (!(await this.team.setRole(tx, user.id, role))) throw memberNotFound();
      if (role !== 'admin') await this.invites.revokeCreatedBy(tx, admin, user.id);
      await this.audit.append(tx, {
        actor: { type: 'person', id: admin.id, login: admin.login },
        action: 'member.role_changed',
        subject: user.login,
        data: { userId: user.id, from: member.role, to: role },
        repositoryIds: [],
      });
      return toMember(user, { ...member, role });
    });
  }

  /**
   * Lets a member read the audit log, or takes that back, from the member's next request on. It does not depend on the role. Throws
   * `forbidden` if the caller is not an admin any more.
   */
  async setAuditor({ orgId, user: admin }: Member, userId: string, auditor: boolean): Promise<MemberDto> {
    const user = await this.getKnownUser(userId);
    return this.database.inTenant(orgId, async (tx) => {
      await this.team.lock(tx);
      const member = await this.team.find(tx, user.id);
      await this.members.lockAdmin(tx, admin.id);
      if (member === null) throw memberNotFound();
      if (member.auditor === auditor) return toMember(user, member);
      if (!(await this.team.setAuditor(tx, user.id, auditor))) throw memberNotFound();
      await this.audit.append(tx, {
        actor: { type: 'person', id: admin.id, login: admin.login },
        action: auditor ? 'member.auditor_granted' : 'member.auditor_revoked',
        subject: user.login,
        data: { userId: user.id },
        repositoryIds: [],
      });
      return toMember(user, { ...member, auditor });
    });
  }

  /**
   * Removes a member with their personal keys and pending invites, from their next request on. Throws `conflict` for the last
   * admin, `forbidden` if the caller is not an admin any more.
   */
  async remove({ orgId, user: admin }: Member, userId: string): Promise<void> {
    const user = await this.getKnownUser(userId);
    await this.database.inTenant(orgId, async (tx) => {
      await this.team.lock(tx);
      const member = await this.team.find(tx, user.id);
      if (member?.role === 'admin') await this.assertOtherAdmin(tx, user.id);
      await this.members.lockAdmin(tx, admin.id);
      if (member === null) throw memberNotFound();
      await this.invites.revokeFor(tx, admin, user.id, 'removed_from_workspace');
      const actor = { type: 'person', id: admin.id, login: admin.login } as const;
      const removal = { login: user.login, actor, reason: 'removed_by_admin' } as const;
      if (!(await this.removal.remove(tx, user.id, removal))) throw memberNotFound();
    });
  }

  /** Throws `not_found` for an invalid id and for a user who never signed in. */
  private async getKnownUser(userId: string): Promise<User> {
    const id = USER_ID.test(userId) ? Number(userId) : 0;
    const user = Number.isSafeInteger(id) ? (await this.users.list([id])).get(id) : undefined;
    if (!user) throw memberNotFound();
    return user;
  }

  private async assertOtherAdmin(tx: TenantTransaction, userId: number): Promise<void> {
    if (!(await this.team.hasOtherAdmin(tx, userId))) throw lastAdmin();
  }
}

const toMember = (
  { id, login, name, avatarUrl }: User,
  { role, joinedAt, auditor }: Pick<MemberDto, 'role' | 'joinedAt' | 'auditor'>,
): MemberDto => ({ userId: id, login, name, avatarUrl, role, joinedAt, auditor });

const toPendingInvite = ({ id, login, role, auditor, expiresAt }: StoredInvite, creator: User): PendingInviteDto => ({
  id,
  login,
  role,
  auditor,
  expiresAt,
  createdBy: creator.login,
});

/** GitHub logins are ASCII and ignore case. */
const byLogin = (one: MemberDto, other: MemberDto): number =>
  one.login.toLowerCase() < other.login.toLowerCase() ? -1 : 1;
