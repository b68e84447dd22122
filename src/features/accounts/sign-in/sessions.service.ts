import { Injectable } from '@nestjs/common';
import { type SelectedMembership, SessionsRepository } from '../../../auth/session/sessions.repository.js';
import type { User } from '../../../auth/user.js';
import { Clock } from '../../../config/clock.js';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { EventsRepository } from '../../../events/events.repository.js';
import { WorkspacesQueries } from '../../../workspaces/workspaces.queries.js';
import { notMemberOfWorkspace } from '../accounts.errors.js';
import { MembershipsQueries, type WorkspaceMembership } from '../members/memberships.queries.js';

/** A workspace that a user can select, and whether the session has selected it. */
export interface SelectableWorkspace extends WorkspaceMembership {
  readonly selected: boolean;
}

/** Creates and ends sessions of users, and selects their workspaces. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly memberships: MembershipsQueries,
    private readonly workspaces: WorkspacesQueries,
    private readonly database: Database,
    private readonly events: EventsRepository,
    private readonly clock: Clock,
  ) {}

  /** Selects the workspace that the user selected last, if the user is still a member, else the only one of the user. */
  async create(idHash: Buffer, { id }: User, memberships: readonly WorkspaceMembership[]): Promise<void> {
    const last = await this.sessions.findLastWorkspace(id);
    const isMember = memberships.some(({ orgId }) => orgId === last);
    const workspace = isMember ? last : findOnly(memberships);
    await this.sessions.create(idHash, id, workspace, this.clock.now());
  }

  async end(idHash: Buffer): Promise<void> {
    await this.sessions.end(idHash, this.clock.now());
  }

  /** Returns the selected workspace as it is stored. Null if none is selected or the user is not a member any more. */
  async findWorkspace(idHash: Buffer): Promise<SelectedMembership | null> {
    return (await this.sessions.find(idHash))?.membership ?? null;
  }

  /** Returns the id of the latest event in the workspace, or 0 if there is none. */
  async findLastEventId({ orgId }: SelectedMembership): Promise<number> {
    return this.database.inTenant(orgId, (tx) => this.events.findLatestId(tx));
  }

  async listWorkspaces(idHash: Buffer, { id }: User): Promise<readonly SelectableWorkspace[]> {
    const [memberships, current] = await Promise.all([this.memberships.list(id), this.findWorkspace(idHash)]);
    return memberships.map((membership) => ({ ...membership, selected: membership.orgId === current?.orgId }));
  }

  /** Returns whether a first sync runs that may make the user, who has no workspace yet, a member of one. */
  async isFirstSyncPending({ id }: User): Promise<boolean> {
    return this.workspaces.isFirstSyncPending(id);
  }

  /** Selects a workspace by the login of its organization, in any case. Throws `forbidden` if the user has no such workspace. */
  async selectWorkspace(idHash: Buffer, { id }: User, org: string): Promise<WorkspaceMembership> {
    return this.#select(idHash, findByName(await this.memberships.list(id), org));
  }

  /** Selects a workspace by its id. Throws `forbidden` if the user is not a member. */
  async selectWorkspaceById(idHash: Buffer, { id }: User, orgId: OrgId): Promise<WorkspaceMembership> {
    const memberships = await this.memberships.list(id);
    return this.#select(idHash, memberships.find((membership) => membership.orgId === orgId) ?? null);
  }

  async #select(idHash: Buffer, selected: WorkspaceMembership | null): Promise<WorkspaceMembership> {
    if (selected === null) throw notMemberOfWorkspace();
    await this.sessions.selectWorkspace(idHash, selected.orgId);
    return selected;
  }
}

const findOnly = (memberships: readonly WorkspaceMembership[]): OrgId | null =>
  (memberships.length === 1 && memberships[0]?.orgId) || null;

/** Prefers the workspace with the app, because a new organization can have the name of a deleted one. */
function findByName(memberships: readonly WorkspaceMembership[], org: string): WorkspaceMembership | null {
  const matches = memberships.filter((membership) => membership.org.toLowerCase() === org.toLowerCase());
  return matches.find(({ installed }) => installed) ?? matches[0] ?? null;
}
