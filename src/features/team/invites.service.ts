import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Member, PersonCaller } from '../../auth/caller.js';
import type { MemberRole, Person } from '../../auth/user.js';
import { RecentFailures } from '../../concurrency/recent-failures.js';
import { Clock } from '../../config/clock.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { Database, type TenantTx } from '../../database/database.js';
import { isUuid } from '../../database/ids.js';
import type { User } from '../../github/api/users.js';
import type { WorkspaceOnHost } from '../../workspaces/workspaces.queries.js';
import { AdminOffice } from '../accounts/members/members.repository.js';
import { MemberDoubts, MemberEntry } from '../accounts/members/members.service.js';
import type { WorkspaceStanding } from '../accounts/members/memberships.queries.js';
import { Sessions } from '../accounts/sign-in/sessions.service.js';
import { InviteTokens } from './invite-tokens.js';
import {
  type Invite,
  INVITE_LIFE_MS,
  InviteRecorder,
  InvitesRepository,
  type StoredInvite,
} from './invites.repository.js';
import { TeamHost } from './organization-members.service.js';
import {
  expiredInvite,
  invitesMember,
  memberAlready,
  noSuchInvite,
  notYourInvite,
  outsideOrganization,
  tooManyInvites,
  unknownInvite,
  unknownLogin,
  usedInvite,
  withdrawnInvite,
} from './team.errors.js';
import { TeamRepository } from './team.repository.js';

/** How many invites of a workspace may wait at a time. */
const MAX_OPEN_INVITES = 100;

export interface InviteOrder {
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

/** Invites into a workspace, as its admins make and withdraw them. */
@Injectable()
export class Invites {
  constructor(
    private readonly database: Database,
    private readonly team: TeamRepository,
    private readonly invites: InvitesRepository,
    private readonly office: AdminOffice,
    private readonly recorder: InviteRecorder,
    private readonly tokens: InviteTokens,
    private readonly host: TeamHost,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /**
   * Makes an invite. Whom a login means is asked of the code host now: who is renamed keeps the invite, who takes over
   * the name does not get it. Throws `unprocessable` where nobody is called so, `conflict` for somebody who is in,
   * or where too many invites wait already, `forbidden` where the maker ceased to be an admin meanwhile.
   */
  async create({ orgId, person: maker }: Member, { login, role }: InviteOrder): Promise<IssuedInvite> {
    const organization = await this.database.inTenant(orgId, (tx) => this.team.organization(tx));
    const invited = login === null ? null : await this.host.findByLogin(organization, login);
    if (login !== null && invited === null) throw unknownLogin(login);
    const now = this.clock.now();
    const invite: Invite = {
      id: randomUUID(),
      person: invited?.id ?? null,
      login: invited?.login ?? null,
      role,
      createdBy: maker.id,
      createdAt: now,
      expiresAt: new Date(now.getTime() + INVITE_LIFE_MS),
    };
    await this.database.inTenant(orgId, async (tx) => {
      await this.team.lock(tx);
      await this.office.hold(tx, maker.id);
      if (invited) await this.refuseMember(tx, invited);
      await this.recorder.add(tx, maker, invite);
      // Counted with the new one, which may have taken the place of an earlier one.
      if ((await this.invites.listOpen(tx, now)).length > MAX_OPEN_INVITES) throw tooManyInvites(MAX_OPEN_INVITES);
    });
    return this.issue(invite);
  }

  /**
   * From the moment that this resolves the invite lets nobody in. Throws `forbidden` where whoever withdraws it ceased to
   * be an admin meanwhile.
   */
  async revoke({ orgId, person }: Member, id: string): Promise<void> {
    const revoked =
      isUuid(id) &&
      (await this.database.inTenant(orgId, async (tx) => {
        await this.team.lock(tx);
        await this.office.hold(tx, person.id);
        return this.recorder.revoke(tx, person, id);
      }));
    if (!revoked) throw noSuchInvite();
  }

  private async refuseMember(tx: TenantTx, { id, login }: User): Promise<void> {
    if (await this.team.find(tx, id)) throw invitesMember(login);
  }

  /** The token is the address's fragment, which no browser sends: it gets into no log and no referrer. */
  private issue(invite: Invite): IssuedInvite {
    const token = this.tokens.sign(invite);
    const { id, expiresAt } = invite;
    return { id, url: `${this.environment.baseUrl}/invite#${token}`, token, expiresAt };
  }
}

/** An invite by which its bearer may come in, with the organization that they have to belong to. */
interface Admissible {
  readonly invite: StoredInvite;
  readonly organization: WorkspaceOnHost;
}

/** Turns an invite into a membership. */
@Injectable()
export class InviteAdmission {
  constructor(
    private readonly team: TeamRepository,
    private readonly entry: MemberEntry,
    private readonly invites: InvitesRepository,
    private readonly recorder: InviteRecorder,
    private readonly clock: Clock,
  ) {}

  /** Throws, with what to do instead, where this person cannot come in by this invite now. */
  async examine(tx: TenantTx, id: string, person: Person): Promise<Admissible> {
    const invite = await this.invites.find(tx, id);
    if (invite === null) throw unknownInvite();
    const organization = await this.team.organization(tx);
    // Who lost the answer to their first request, and sends it again, is told that they are in.
    if (await this.team.find(tx, person.id)) throw memberAlready(organization.login);
    if (invite.person !== null && invite.person !== person.id) throw notYourInvite();
    if (invite.accepted) throw usedInvite();
    if (invite.withdrawn) throw withdrawnInvite();
    if (invite.expiresAt <= this.clock.now()) throw expiredInvite();
    return { invite, organization };
  }

  /** Makes the person, whom the host named as one of the organization at that moment, a member: once an invite. */
  async admit(tx: TenantTx, id: string, person: Person, observedAt: Date): Promise<void> {
    await this.team.lock(tx);
    const { invite, organization } = await this.examine(tx, id, person);
    const member = { person: person.id, role: invite.role, joinedAt: this.clock.now() };
    // An owner of the organization may be signing in at this moment, which makes a member too.
    if (!(await this.entry.admit(tx, member, observedAt))) throw memberAlready(organization.login);
    await this.recorder.accept(tx, person, invite);
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
    private readonly admission: InviteAdmission,
    private readonly host: TeamHost,
    private readonly doubts: MemberDoubts,
    private readonly sessions: Sessions,
    clock: Clock,
  ) {
    this.outsiders = new RecentFailures(clock);
  }

  /**
   * Makes the person a member of the invite's workspace and selects it in their session: once an invite, and only for
   * people who belong to the organization on the code host now.
   */
  async accept({ person, session }: PersonCaller, token: string): Promise<WorkspaceStanding> {
    const id = this.tokens.open(token);
    const orgId = await this.invites.findWorkspace(id);
    if (orgId === null) throw unknownInvite();
    const { organization } = await this.database.inTenant(orgId, (tx) => this.admission.examine(tx, id, person));
    // A link may be in anybody's hands, and each question spends what the host allows the workspace's gates too.
    const question = `${orgId}:${person.id}`;
    if (this.outsiders.has(question)) throw outsideOrganization(organization.login);
    const { value: belongs, observedAt } = await this.host.belongs(organization, person);
    if (!belongs) {
      this.outsiders.add(question);
      throw outsideOrganization(organization.login);
    }
    await this.database.inTenant(orgId, (tx) => this.admission.admit(tx, id, person, observedAt));
    // They may have left between the host's word and the row, and what they may read is not known yet.
    await this.doubts.raise(orgId, { belonging: [], reading: [person.id] });
    return this.sessions.enterWorkspace(session, person, orgId);
  }
}
