import { Injectable } from '@nestjs/common';
import type { Member } from '../../auth/caller.js';
import type { MemberRole, Person } from '../../auth/user.js';
import { Clock } from '../../config/clock.js';
import { Database } from '../../database/database.js';
import { PeopleReader } from '../accounts/users/people.reader.js';
import type { StoredInvite } from './invite.js';
import { InvitesRepository } from './invites.repository.js';
import { TeamRepository } from './team.repository.js';
import { type Teammate, personIn } from './teammate.js';

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
export interface TeamView {
  readonly members: readonly Teammate[];
  readonly invites: readonly OpenInvite[];
}

/** Shows the team to its members, without the token of any invite: those are kept nowhere. */
@Injectable()
export class TeamList {
  constructor(
    private readonly database: Database,
    private readonly team: TeamRepository,
    private readonly invites: InvitesRepository,
    private readonly people: PeopleReader,
    private readonly clock: Clock,
  ) {}

  /** Members by their logins, invites the newest first. */
  async list({ orgId }: Member): Promise<TeamView> {
    const { members, invites } = await this.database.inTenant(orgId, async (tx) => ({
      members: await this.team.list(tx),
      invites: await this.invites.listOpen(tx, this.clock.now()),
    }));
    const ids = new Set([...members.map(({ person }) => person), ...invites.map(({ createdBy }) => createdBy)]);
    const people = await this.people.list([...ids]);
    return {
      members: members
        .map(({ person, role, joinedAt }) => ({ person: personIn(people, person), role, joinedAt }))
        .sort((one, other) => byLogin(one.person, other.person)),
      invites: invites.map((invite) => openInvite(invite, personIn(people, invite.createdBy))),
    };
  }
}

const openInvite = ({ id, login, role, expiresAt }: StoredInvite, maker: Person): OpenInvite => ({
  id,
  login,
  role,
  expiresAt,
  createdBy: maker.login,
});

/** GitHub's logins are ASCII, and compared in any case. */
const byLogin = (one: Person, other: Person): number => (one.login.toLowerCase() < other.login.toLowerCase() ? -1 : 1);
