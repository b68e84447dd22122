import { Injectable } from '@nestjs/common';
import type { Person } from '../../auth/user.js';
import { Clock } from '../../config/clock.js';
import type { TenantTx } from '../../database/database.js';
import type { WorkspaceOnHost } from '../../workspaces/host-workspace.reader.js';
import { MemberEntry } from '../accounts/members/member-entry.recorder.js';
import type { StoredInvite } from './invite.js';
import { InviteRecorder } from './invite.recorder.js';
import { InvitesRepository } from './invites.repository.js';
import {
  expiredInvite,
  memberAlready,
  notYourInvite,
  unknownInvite,
  usedInvite,
  withdrawnInvite,
} from './team.errors.js';
import { TeamRepository } from './team.repository.js';

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
