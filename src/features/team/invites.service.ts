import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Member, UserCaller } from '../../auth/caller.js';
import type { MemberRole, User } from '../../auth/user.js';
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
  invitesMember,
  alreadyMember,
  noSuchInvite,
  inviteForOtherUser,
  notInOrganization,
  tooManyInvites,
  unknownInvite,
  unknownLogin,
  inviteAlreadyUsed,
  inviteWithdrawn,
} from './team.errors.js';
import { TeamRepository } from './team.repository.js';

/** How many invites of a workspace may wait at a time. */
const MAX_OPEN_INVITES = 100;

export interface NewInvite {
  /** For this person only; null for whoever holds the link. */
  readonly login: string | null;
  readonly role: MemberRole;
}

/** An invite on its way: the token is in this answer and nowhere else, ever. */
export interface IssuedInvite {
  readonly id: string;
  readonly url: string;
  readonly token: string;
  readonly expiresAt: Date;
}

/** An invite by which its bearer may come in, with the organization that they have to belong to. */
interface Admissible {
  readonly invite: StoredInvite;
  readonly organization: WorkspaceOrganization;
}

/** Invites into a workspace, as its admins make and withdraw them. Turns an invite into a membership. */
@Injectable()
export class InvitesService {
  constructor(
    private readonly database: Database,
    private readonly team: TeamRepository,
    private readonly invites: InvitesRepository,
    private readonly office: MembersRepository,
    private readonly tokens: InviteTokens,
    private readonly host: OrganizationMembersService,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly entry: MembersService,
  ) {}

  /**
   * Makes an invite. Whom a login means is asked of the code host now: who is renamed keeps the invite, who takes over
   * the name does not get it. Throws `unprocessable` where nobody is called so, `conflict` for somebody who is in,
   * or where too many invites wait already, `forbidden` where the maker ceased to be an admin meanwhile.
   */
  async create({ orgId, user: maker }: Member, { login, role }: NewInvite): Promise<IssuedInvite> {
    const organization = await this.database.inTenant(orgId, (tx) => this.team.organization(tx));
    const invited = login === null ? null : await this.host.findByLogin(organization, login);
    if (login !== null && invited === null) throw unknownLogin(login);
    const now = this.clock.now();
    const invite: Invite = {
      id: randomUUID(),
      userId: invited?.id ?? null,
      login: invited?.login ?? null,
      role,
      createdBy: maker.id,
      createdAt: now,
      expiresAt: new Date(now.getTime() + INVITE_DURATION_MS),
    };
    await this.database.inTenant(orgId, async (tx) => {
      await this.team.lock(tx);
      await this.office.lockAdmin(tx, maker.id);
      if (invited) await this.refuseMember(tx, invited);
      await this.invites.add(tx, maker, invite);
      // Counted with the new one, which may have taken the place of an earlier one.
      if ((await this.invites.listOpen(tx, now)).length > MAX_OPEN_INVITES) throw tooManyInvites(MAX_OPEN_INVITES);
    });
    return this.issue(invite);
  }

  /**
   * From the moment that this resolves the invite lets nobody in. Throws `forbidden` where whoever withdraws it ceased to
   * be an admin meanwhile.
   */
  async revoke({ orgId, user }: Member, id: string): Promise<void> {
    const revoked =
      isUuid(id) &&
      (await this.database.inTenant(orgId, async (tx) => {
        await this.team.lock(tx);
        await this.office.lockAdmin(tx, user.id);
        return this.invites.revoke(tx, user, id);
      }));
    if (!revoked) throw noSuchInvite();
  }

  private async refuseMember(tx: TenantTransaction, { id, login }: GitHubUser): Promise<void> {
    if (await this.team.find(tx, id)) throw invitesMember(login);
  }

  /** The token is the address's fragment, which no browser sends: it gets into no log and no referrer. */
  private issue(invite: Invite): IssuedInvite {
    const token = this.tokens.sign(invite);
    const { id, expiresAt } = invite;
    return { id, url: `${this.environment.baseUrl}/invite#${token}`, token, expiresAt };
  }

  /** Throws, with what to do instead, where this person cannot come in by this invite now. */
  async check(tx: TenantTransaction, id: string, user: User): Promise<Admissible> {
    const invite = await this.invites.find(tx, id);
    if (invite === null) throw unknownInvite();
    const organization = await this.team.organization(tx);
    // Who lost the answer to their first request, and sends it again, is told that they are in.
    if (await this.team.find(tx, user.id)) throw alreadyMember(organization.login);
    if (invite.userId !== null && invite.userId !== user.id) throw inviteForOtherUser();
    if (invite.accepted) throw inviteAlreadyUsed();
    if (invite.withdrawn) throw inviteWithdrawn();
    if (invite.expiresAt <= this.clock.now()) throw inviteExpired();
    return { invite, organization };
  }

  /** Makes the person, whom the host named as one of the organization at that moment, a member: once an invite. */
  async accept(tx: TenantTransaction, id: string, user: User, observedAt: Date): Promise<void> {
    await this.team.lock(tx);
    const { invite, organization } = await this.check(tx, id, user);
    const member = { userId: user.id, role: invite.role, joinedAt: this.clock.now() };
    // An owner of the organization may be signing in at this moment, which makes a member too.
    if (!(await this.entry.add(tx, member, observedAt))) throw alreadyMember(organization.login);
    await this.invites.accept(tx, user, invite);
  }
}

/** Lets people in who were invited. */
@Injectable()
export class InviteAcceptance {
  private readonly outsiders: RecentFailures;

  constructor(
    private readonly database: Database,
    private readonly invites: InvitesRepository,
    private readonly tokens: InviteTokens,
    private readonly admission: InvitesService,
    private readonly host: OrganizationMembersService,
    private readonly doubts: MembersService,
    private readonly sessions: SessionsService,
    clock: Clock,
  ) {
    this.outsiders = new RecentFailures(clock);
  }

  /**
   * Makes the person a member of the invite's workspace and selects it in their session: once an invite, and only for
   * people who belong to the organization on the code host now.
   */
  async accept({ user, session }: UserCaller, token: string): Promise<WorkspaceMembership> {
    const id = this.tokens.open(token);
    const orgId = await this.invites.findWorkspace(id);
    if (orgId === null) throw unknownInvite();
    const { organization } = await this.database.inTenant(orgId, (tx) => this.admission.check(tx, id, user));
    // A link may be in anybody's hands, and each question spends what the host allows the workspace's gates too.
    const question = `${orgId}:${user.id}`;
    if (this.outsiders.has(question)) throw notInOrganization(organization.login);
    const { value: belongs, observedAt } = await this.host.isMember(organization, user);
    if (!belongs) {
      this.outsiders.add(question);
      throw notInOrganization(organization.login);
    }
    await this.database.inTenant(orgId, (tx) => this.admission.accept(tx, id, user, observedAt));
    // They may have left between the host's word and the row, and what they may read is not known yet.
    await this.doubts.invalidate(orgId, { belonging: [], reading: [user.id] });
    return this.sessions.selectWorkspaceById(session, user, orgId);
  }
}
