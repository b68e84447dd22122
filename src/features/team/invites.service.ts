import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Member, UserCaller } from '../../auth/caller.js';
import type { User } from '../../auth/user.js';
import { RecentFailures } from '../../concurrency/recent-failures.js';
import { Clock } from '../../config/clock.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { Database, type TenantTransaction } from '../../database/database.js';
import { isUuid } from '../../database/ids.js';
import type { GitHubUser } from '../../github/api/users.js';
import type { WorkspaceOrganization } from '../../workspaces/workspaces.queries.js';
import { MembersRepository } from '../accounts/members/members.repository.js';
import { MembersService } from '../accounts/members/members.service.js';
import type { WorkspaceMembership } from '../accounts/members/memberships.queries.js';
import { SessionsService } from '../accounts/sign-in/sessions.service.js';
import { InviteTokens } from './invite-tokens.js';
import { type Invite, INVITE_DURATION_MS, InvitesRepository, type StoredInvite } from './invites.repository.js';
import { OrganizationMembersService } from './organization-members.service.js';
import {
  inviteExpired,
  invitedUserIsMember,
  alreadyMember,
  pendingInviteNotFound,
  inviteForOtherUser,
  notInOrganization,
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
interface ValidInvite {
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
    { login, role }: Pick<Invite, 'login' | 'role'>,
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
      createdBy: creator.id,
      createdAt: now,
      expiresAt: new Date(now.getTime() + INVITE_DURATION_MS),
    };
    await this.database.inTenant(orgId, async (tx) => {
      await this.team.lock(tx);
      await this.members.lockAdmin(tx, creator.id);
      if (invited) await this.assertNotMember(tx, invited);
      await this.invites.create(tx, creator, invite);
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
        return this.invites.revoke(tx, user, id);
      }));
    if (!revoked) throw pendingInviteNotFound();
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
    await this.invites.accept(tx, user, invite);
  }
}

/** Accepts invites for users who belong to the organization. */
@Injectable()
export class InviteAcceptanceService {
  private readonly recentOutsiders: RecentFailures;

  constructor(
    private readonly database: Database,
    private readonly invites: InvitesRepository,
    private readonly tokens: InviteTokens,
    private readonly checks: InvitesService,
    private readonly organizationMembers: OrganizationMembersService,
    private readonly members: MembersService,
    private readonly sessions: SessionsService,
    clock: Clock,
  ) {
    this.recentOutsiders = new RecentFailures(clock);
  }

  /**
   * Makes the user a member of the invite's workspace and selects it in the session. An invite works once, and only for a user who
   * belongs to the organization on GitHub now.
   */
  async accept({ user, session }: UserCaller, token: string): Promise<WorkspaceMembership> {
    const id = this.tokens.open(token);
    const orgId = await this.invites.findWorkspace(id);
    if (orgId === null) throw inviteNotFound();
    const { organization } = await this.database.inTenant(orgId, (tx) => this.checks.check(tx, id, user));
    // Any user may have the link, and each request to GitHub uses the rate limit that the gates need.
    const outsider = `${orgId}:${user.id}`;
    if (this.recentOutsiders.has(outsider)) throw notInOrganization(organization.login);
    const { value: isMember, observedAt } = await this.organizationMembers.isMember(organization, user);
    if (!isMember) {
      this.recentOutsiders.add(outsider);
      throw notInOrganization(organization.login);
    }
    await this.database.inTenant(orgId, (tx) => this.checks.accept(tx, id, user, observedAt));
    // The user may have left since GitHub answered, and the repository access is not known yet.
    await this.members.invalidate(orgId, { membership: [], repositoryAccess: [user.id] });
    return this.sessions.selectWorkspaceById(session, user, orgId);
  }
}
