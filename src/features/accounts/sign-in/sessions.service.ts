import { Injectable } from '@nestjs/common';
import { SessionsRepository } from '../../../auth/session/sessions.repository.js';
import type { Membership, User } from '../../../auth/user.js';
import { Clock } from '../../../config/clock.js';
import type { OrgId } from '../../../database/ids.js';
import { WorkspacesQueries } from '../../../workspaces/workspaces.queries.js';
import { MembershipsQueries, type WorkspaceMembership } from '../members/memberships.queries.js';
import { notYourWorkspace } from './sign-in.service.js';

/** A workspace that a person may select, and whether their session has. */
export interface SelectableWorkspace extends WorkspaceMembership {
  readonly selected: boolean;
}

/** The sessions of people: opened and ended, and the workspace of each. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly standings: MembershipsQueries,
    private readonly workspaces: WorkspacesQueries,
    private readonly clock: Clock,
  ) {}

  /** In the workspace that the person selected last, if it is still theirs, else in the only one that they have. */
  async create(idHash: Buffer, { id }: User, standings: readonly WorkspaceMembership[]): Promise<void> {
    const last = await this.sessions.lastWorkspace(id);
    const isTheirs = standings.some(({ orgId }) => orgId === last);
    const workspace = isTheirs ? last : onlyOf(standings);
    await this.sessions.open(idHash, id, workspace, this.clock.now());
  }

  async end(idHash: Buffer): Promise<void> {
    await this.sessions.end(idHash, this.clock.now());
  }

  /** The selected workspace as it is known here; null where none is, or the person is its member no more. */
  async findWorkspace(idHash: Buffer): Promise<Membership | null> {
    return (await this.sessions.find(idHash))?.membership ?? null;
  }

  async listWorkspaces(idHash: Buffer, { id }: User): Promise<readonly SelectableWorkspace[]> {
    const [standings, current] = await Promise.all([this.standings.list(id), this.findWorkspace(idHash)]);
    return standings.map((standing) => ({ ...standing, selected: standing.orgId === current?.orgId }));
  }

  /** Whether organizations are being read of which the person, who is in no workspace yet, may be a member. */
  async isReadingFor({ id }: User): Promise<boolean> {
    return this.workspaces.isFirstSyncPending(id);
  }

  /** By the organization's login, in any case. Throws `forbidden` where the person has no such workspace. */
  async selectWorkspace(idHash: Buffer, { id }: User, org: string): Promise<WorkspaceMembership> {
    return this.#select(idHash, namedOf(await this.standings.list(id), org));
  }

  /** That very workspace, whatever others are called. Throws `forbidden` where the person is no member of it. */
  async selectWorkspaceById(idHash: Buffer, { id }: User, orgId: OrgId): Promise<WorkspaceMembership> {
    const standings = await this.standings.list(id);
    return this.#select(idHash, standings.find((standing) => standing.orgId === orgId) ?? null);
  }

  async #select(idHash: Buffer, chosen: WorkspaceMembership | null): Promise<WorkspaceMembership> {
    if (chosen === null) throw notYourWorkspace();
    await this.sessions.selectWorkspace(idHash, chosen.orgId);
    return chosen;
  }
}

const onlyOf = (standings: readonly WorkspaceMembership[]): OrgId | null =>
  (standings.length === 1 && standings[0]?.orgId) || null;

/** Where an organization took over the name of another that is gone, the one that has the app is meant. */
function namedOf(standings: readonly WorkspaceMembership[], org: string): WorkspaceMembership | null {
  const named = standings.filter((standing) => standing.org.toLowerCase() === org.toLowerCase());
  return named.find(({ installed }) => installed) ?? named[0] ?? null;
}
