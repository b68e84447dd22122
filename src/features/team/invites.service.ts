import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Member } from '../../auth/caller.js';
import type { MemberRole } from '../../auth/user.js';
import { Clock } from '../../config/clock.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { Database, type TenantTx } from '../../database/database.js';
import { isUuid } from '../../database/ids.js';
import type { User } from '../../github/api/users.js';
import { AdminOffice } from '../accounts/members/admin-office.reader.js';
import { type Invite, INVITE_LIFE_MS } from './invite.js';
import { InviteTokens } from './invite-tokens.js';
import { InviteRecorder } from './invite.recorder.js';
import { InvitesRepository } from './invites.repository.js';
import { TeamHost } from './organization-members.service.js';
import { invitesMember, noSuchInvite, tooManyInvites, unknownLogin } from './team.errors.js';
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
