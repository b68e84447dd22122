import { Injectable } from '@nestjs/common';
import type { UserCaller } from '../../auth/caller.js';
import type { User } from '../../auth/user.js';
import { RecentFailures } from '../../concurrency/recent-failures.js';
import { Clock } from '../../config/clock.js';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import { MembersService } from '../accounts/members/members.service.js';
import type { WorkspaceMembership } from '../accounts/members/memberships.queries.js';
import { SessionsService } from '../accounts/sign-in/sessions.service.js';
import { InviteTokens } from './invite-tokens.js';
import { InvitesRepository } from './invites.repository.js';
import { OrganizationMembersService } from './organization-members.service.js';
import { notInOrganization, inviteNotFound } from './team.errors.js';
import { InvitesService, type ValidInvite } from './invites.service.js';
import type { InvitePreviewDto } from './team.dto.js';

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
   * Returns the workspace and the rights of an invite. Throws as `accept` does for an invite that is not open or for another user. Does not
   * check that the user belongs to the organization.
   */
  async preview(user: User, token: string): Promise<InvitePreviewDto> {
    const { invite, organization } = (await this.find(user, token)).valid;
    return { org: organization.login, role: invite.role, auditor: invite.auditor };
  }

  /**
   * Makes the user a member of the invite's workspace and selects it in the session. An invite works once, and only for a user who
   * belongs to the organization on GitHub now.
   */
  async accept({ user, session }: UserCaller, token: string): Promise<WorkspaceMembership> {
    const { id, orgId, valid } = await this.find(user, token);
    const { organization } = valid;
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

  private async find(
    user: User,
    token: string,
  ): Promise<{ readonly id: string; readonly orgId: OrgId; readonly valid: ValidInvite }> {
    const id = this.tokens.open(token);
    const orgId = await this.invites.findWorkspace(id);
    if (orgId === null) throw inviteNotFound();
    return { id, orgId, valid: await this.database.inTenant(orgId, (tx) => this.checks.check(tx, id, user)) };
  }
}
