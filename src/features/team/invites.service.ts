import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Member } from '../../auth/caller.js';
import type { User } from '../../auth/user.js';
import { Clock } from '../../config/clock.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { Database, type TenantTransaction } from '../../database/database.js';
import { isUuid } from '../../database/ids.js';
import type { GitHubUser } from '../../github/api/users.js';
import type { WorkspaceOrganization } from '../../workspaces/workspaces.queries.js';
import { MembersRepository } from '../accounts/members/members.repository.js';
import { AuditLogService } from '../audit/audit-log.service.js';
import { InviteTokens } from './invite-tokens.js';
import {
  type Invite,
  INVITE_DURATION_MS,
  InvitesRepository,
  type RevokedInvite,
  type StoredInvite,
} from './invites.repository.js';
import { OrganizationMembersService } from './organization-members.service.js';
import {
  inviteExpired,
  invitedUserIsMember,
  alreadyMember,
  pendingInviteNotFound,
  inviteForOtherUser,
  inviteLimitReached,
  inviteNotFound,
  loginNotFound,
  inviteAlreadyUsed,
  inviteWithdrawn,
} from './team.errors.js';
import type { CreatedInviteDto } from './team.dto.js';
import { TeamRepository } from './team.repository.js';

/** The maximum number of pending invites of a workspace. */
const MAX_PENDING_INVITES = 100;

/** A valid invite with the organization that the user must belong to. */
export interface ValidInvite {
  readonly invite: StoredInvite;
  readonly organization: WorkspaceOrganization;
}

/** Creates, withdraws, checks and accepts the invites of a workspace. */
@Injectable()
export class InvitesService {
  constructor(
    private readonly database: Database,
    private readonly team: TeamRepository,
    private readonly invites: InvitesRepository,
    private readonly members: MembersRepository,
    private readonly audit: AuditLogService,
    private readonly tokens: InviteTokens,
    private readonly organizationMembers: OrganizationMembersService,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /**
   * Creates an invite. It stores the GitHub id of the login, so it stays valid for a renamed user and is not valid for a user who
   * takes over the login. Throws `unprocessable` for an unknown login, `conflict` if the user is a member or too many invites are
   * pending, `forbidden` if the creator is not an admin any more.
   */
  async create(
    { orgId, user: creator }: Member,
    { login, role, auditor }: Pick<Invite, 'login' | 'role' | 'auditor'>,
  ): Promise<CreatedInviteDto> {
    const organization = await this.database.inTenant(orgId, (tx) => this.team.getOrganization(tx));
    const invited = login === null ? null : await this.organizationMembers.findByLogin(organization, login);
    if (login !== null && invited === null) throw loginNotFound(login);
    const now = this.clock.now();
    const invite: Invite = {
      id: randomUUID(),
      userId: invited?.id ?? null,
      login: invited?.login ?? null,
      role,
      auditor,
      createdBy: creator.id,
      createdAt: now,
      expiresAt: new Date(now.getTime() + INVITE_DURATION_MS),
    };
    await this.database.inTenant(orgId, async (tx) => {
      await this.team.lock(tx);
      await this.members.lockAdmin(tx, creator.id);
      if (invited) await this.assertNotMember(tx, invited);
      if (invited) await this.revokeFor(tx, creator, invited.id, 'replaced');
      await this.invites.create(tx, invite);
      await this.record(tx, creator, 'invite.created', invite, {
        expiresAt: invite.expiresAt.toISOString(),
      });
      // This includes the new invite, which may have replaced an earlier one.
      if ((await this.invites.listOpen(tx)).length > MAX_PENDING_INVITES) throw inviteLimitReached(MAX_PENDING_INVITES);
    });
    return this.issue(invite);
  }

  /**
   * Withdraws an invite. It is not valid any more when this resolves. Throws `forbidden` if the user is not an admin any more.
   */
  async revoke({ orgId, user }: Member, id: string): Promise<void> {
    const revoked =
      isUuid(id) &&
      (await this.database.inTenant(orgId, async (tx) => {
        await this.team.lock(tx);
        await this.members.lockAdmin(tx, user.id);
        return this.revokePending(tx, user, { id }, 'withdrawn');
      }));
    if (!revoked) throw pendingInviteNotFound();
  }

  async revokeFor(
    tx: TenantTransaction,
    actor: User,
    userId: number,
    reason: 'replaced' | 'removed_from_workspace',
  ): Promise<void> {
    await this.revokePending(tx, actor, { userId }, reason);
  }

  /** Revokes the invites that a former admin created. They stay revoked if the user becomes an admin again. */
  async revokeCreatedBy(tx: TenantTransaction, actor: User, userId: number): Promise<void> {
    await this.revokePending(tx, actor, { createdBy: userId }, 'maker_demoted');
  }

  /** Returns false if no pending invite matches. */
  private async revokePending(
    tx: TenantTransaction,
    actor: User,
    which: Partial<Pick<Invite, 'id' | 'userId' | 'createdBy'>>,
    reason: string,
  ): Promise<boolean> {
    const revoked = await this.invites.revoke(tx, which);
    for (const invite of revoked) await this.record(tx, actor, 'invite.revoked', invite, { reason });
    return revoked.length > 0;
  }

  private async assertNotMember(tx: TenantTransaction, { id, login }: GitHubUser): Promise<void> {
    if (await this.team.find(tx, id)) throw invitedUserIsMember(login);
  }

  /** The token is the fragment of the URL. Browsers do not send it, so it is in no log and no referrer. */
  private issue(invite: Invite): CreatedInviteDto {
    const token = this.tokens.sign(invite);
    const { id, expiresAt } = invite;
    return { id, url: `${this.environment.baseUrl}/invite#${token}`, token, expiresAt };
  }

  /** Checks whether the user can accept the invite now. Throws the error for the user if not. */
  async check(tx: TenantTransaction, id: string, user: User): Promise<ValidInvite> {
    const invite = await this.invites.find(tx, id);
    if (invite === null) throw inviteNotFound();
    const organization = await this.team.getOrganization(tx);
    // First, so that a user who repeats an accepted request learns about the membership.
    if (await this.team.find(tx, user.id)) throw alreadyMember(organization.login);
    if (invite.userId !== null && invite.userId !== user.id) throw inviteForOtherUser();
    if (invite.accepted) throw inviteAlreadyUsed();
    if (invite.withdrawn) throw inviteWithdrawn();
    if (invite.expiresAt <= this.clock.now()) throw inviteExpired();
    return { invite, organization };
  }

  /** Makes the user a member. `observedAt` is when GitHub confirmed that the user belongs to the organization. */
  async accept(tx: TenantTransaction, id: string, user: User, observedAt: Date): Promise<void> {
    await this.team.lock(tx);
    const { invite, organization } = await this.check(tx, id, user);
    const member = { userId: user.id, role: invite.role, joinedAt: this.clock.now() };
    // A concurrent sign-in of an owner also creates the membership.
    if (!(await this.members.create(tx, member, observedAt))) throw alreadyMember(organization.login);
    await this.invites.accept(tx, invite, user.id);
    const actor = { type: 'person', id: user.id, login: user.login } as const;
    const by = { actor, subject: user.login, repositoryIds: [] };
    const { id: inviteId, role, createdBy } = invite;
    await this.audit.append(tx, { ...by, action: 'invite.accepted', data: { inviteId, createdBy } });
    await this.audit.append(tx, {
      ...by,
      action: 'member.joined',
      data: { userId: user.id, reason: 'invite', role },
    });
    if (!invite.auditor) return;
    await this.team.setAuditor(tx, user.id, true);
    await this.audit.append(tx, {
      ...by,
      action: 'member.auditor_granted',
      data: { userId: user.id, reason: 'invite', inviteId, createdBy },
    });
  }

  private async record(
    tx: TenantTransaction,
    { id, login }: User,
    action: 'invite.created' | 'invite.revoked',
    invite: RevokedInvite,
    more: Readonly<Record<string, string | boolean>>,
  ): Promise<void> {
    await this.audit.append(tx, {
      actor: { type: 'person', id, login },
      action,
      subject: invite.login ?? 'anyone with the link',
      data: {
        inviteId: invite.id,
        userId: invite.userId,
        role: invite.role,
        ...(invite.auditor && { auditor: true }),
        ...more,
      },
      repositoryIds: [],
    });
  }
}
