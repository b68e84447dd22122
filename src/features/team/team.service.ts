import { Injectable } from '@nestjs/common';
import type { Member } from '../../auth/caller.js';
import type { MemberRole, User } from '../../auth/user.js';
import { Clock } from '../../config/clock.js';
import { Database, type TenantTransaction } from '../../database/database.js';
import { MemberRemovalService } from '../accounts/members/member-removal.service.js';
import { MembersRepository } from '../accounts/members/members.repository.js';
import { UsersRepository } from '../accounts/users/users.repository.js';
import { AuditRepository } from '../audit/audit.repository.js';
import { InvitesRepository, type StoredInvite } from './invites.repository.js';
import { lastAdmin, noSuchMember } from './team.errors.js';
import { TeamRepository } from './team.repository.js';

/** Somebody who belongs to the workspace. */
export interface TeamMemberDetails {
  readonly user: User;
  readonly role: MemberRole;
  readonly joinedAt: Date;
}

/** Who is a member, or was, has signed in once and is known ever since. */
function getUser(users: ReadonlyMap<number, User>, id: number): User {
  const user = users.get(id);
  if (!user) throw new Error(`Person ${id} belongs to a team and never signed in.`);
  return user;
}

/** The ids of GitHub begin at 1, and are written without a sign or leading zeros. */
const USER_ID = /^[1-9]\d{0,15}$/;

/** Who is what in a workspace. It keeps an admin as long as its admins alone decide. */
@Injectable()
export class TeamService {
  constructor(
    private readonly database: Database,
    private readonly team: TeamRepository,
    private readonly office: MembersRepository,
    private readonly invites: InvitesRepository,
    private readonly removal: MemberRemovalService,
    private readonly users: UsersRepository,
    private readonly audit: AuditRepository,
  ) {}

  /**
   * Takes effect with the member's next request; the invites of an admin end with the office. Throws `conflict` for the
   * last admin, `forbidden` where whoever decides ceased to be an admin meanwhile.
   */
  async changeRole({ orgId, user: admin }: Member, userId: string, role: MemberRole): Promise<TeamMemberDetails> {
    const user = await this.personOf(userId);
    return this.database.inTenant(orgId, async (tx) => {
      await this.team.lock(tx);
      const member = await this.team.find(tx, user.id);
      if (member?.role === 'admin' && role !== 'admin') await this.refuseLastAdmin(tx, user.id);
      await this.office.lockAdmin(tx, admin.id);
      if (member === null) throw noSuchMember();
      if (member.role === role) return { ...member, user };
      if (!(await this.team.setRole(tx, user.id, role))) throw noSuchMember();
      if (role !== 'admin') await this.invites.revokeMadeBy(tx, admin, user.id);
      await this.audit.append(tx, {
        actor: { type: 'person', id: admin.id, login: admin.login },
        action: 'member.role_changed',
        subject: user.login,
        data: { userId: user.id, from: member.role, to: role },
        repositoryIds: [],
      });
      return { ...member, user, role };
    });
  }

  /**
   * Ends the membership with the person's keys, and withdraws what invites wait for them: with their next request they
   * are out. Throws `conflict` for the last admin, `forbidden` where whoever decides ceased to be an admin meanwhile.
   */
  async remove({ orgId, user: admin }: Member, userId: string): Promise<void> {
    const user = await this.personOf(userId);
    await this.database.inTenant(orgId, async (tx) => {
      await this.team.lock(tx);
      const member = await this.team.find(tx, user.id);
      if (member?.role === 'admin') await this.refuseLastAdmin(tx, user.id);
      await this.office.lockAdmin(tx, admin.id);
      if (member === null) throw noSuchMember();
      await this.invites.revokeFor(tx, admin, user.id, 'removed_from_workspace');
      const actor = { type: 'person', id: admin.id, login: admin.login } as const;
      const removal = { login: user.login, actor, reason: 'removed_by_admin' } as const;
      if (!(await this.removal.remove(tx, user.id, removal))) throw noSuchMember();
    });
  }

  /** Throws `not_found` for what is no id, and for people whom the service has never seen. */
  private async personOf(userId: string): Promise<User> {
    const id = USER_ID.test(userId) ? Number(userId) : 0;
    const user = Number.isSafeInteger(id) ? (await this.users.list([id])).get(id) : undefined;
    if (!user) throw noSuchMember();
    return user;
  }

  private async refuseLastAdmin(tx: TenantTransaction, userId: number): Promise<void> {
    if (!(await this.team.hasOtherAdmin(tx, userId))) throw lastAdmin();
  }
}

/** An invite that waits. */
interface OpenInvite {
  readonly id: string;
  /** Null where it is for whoever holds it. */
  readonly login: string | null;
  readonly role: MemberRole;
  readonly expiresAt: Date;
  /** The login of who made it. */
  readonly createdBy: string;
}

/** Everybody of the workspace and everybody who may become so. */
export interface TeamOverview {
  readonly members: readonly TeamMemberDetails[];
  readonly invites: readonly OpenInvite[];
}

/** Shows the team to its members, without the token of any invite: those are kept nowhere. */
@Injectable()
export class TeamList {
  constructor(
    private readonly database: Database,
    private readonly team: TeamRepository,
    private readonly invites: InvitesRepository,
    private readonly users: UsersRepository,
    private readonly clock: Clock,
  ) {}

  /** Members by their logins, invites the newest first. */
  async list({ orgId }: Member): Promise<TeamOverview> {
    const { members, invites } = await this.database.inTenant(orgId, async (tx) => ({
      members: await this.team.list(tx),
      invites: await this.invites.listOpen(tx, this.clock.now()),
    }));
    const ids = new Set([...members.map(({ userId }) => userId), ...invites.map(({ createdBy }) => createdBy)]);
    const users = await this.users.list([...ids]);
    return {
      members: members
        .map(({ userId, role, joinedAt }) => ({ user: getUser(users, userId), role, joinedAt }))
        .sort((one, other) => byLogin(one.user, other.user)),
      invites: invites.map((invite) => openInvite(invite, getUser(users, invite.createdBy))),
    };
  }
}

const openInvite = ({ id, login, role, expiresAt }: StoredInvite, maker: User): OpenInvite => ({
  id,
  login,
  role,
  expiresAt,
  createdBy: maker.login,
});

/** GitHub's logins are ASCII, and compared in any case. */
const byLogin = (one: User, other: User): number => (one.login.toLowerCase() < other.login.toLowerCase() ? -1 : 1);
