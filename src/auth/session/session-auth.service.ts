import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Clock } from '../../config/clock.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { NO_USER_ID } from '../../database/database.js';
import { WorkspacesQueries } from '../../workspaces/workspaces.queries.js';
import type { SessionRule } from '../access.decorators.js';
import { workspaceNotSelected, crossOriginRejected, roleMissing, firstSyncPending } from '../auth.errors.js';
import { type Member, type MemberCaller, MembershipRefresher, type UserCaller } from '../caller.js';
import type { Membership, User } from '../user.js';
import { isBackgroundRead, isSameOrigin } from './session-cookie.js';
import { isFresh } from './session-lifetime.js';
import { assertNamedWorkspace } from './named-workspace.js';
import { SessionsRepository, type SessionRecord } from './sessions.repository.js';

/** The active session of a request, with the hash of its id. */
export interface PresentedSession extends SessionRecord {
  readonly idHash: Buffer;
}

/** Authorizes the user of a session by role. */
@Injectable()
export class SessionAuthService {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly memberships: MembershipRefresher,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly workspaces: WorkspacesQueries,
  ) {}

  /**
   * Throws `forbidden` if the user does not have the access level of the route, and `conflict` if the request names another
   * workspace than that of the session.
   */
  async authorize(
    request: Pick<FastifyRequest, 'method' | 'headers' | 'query'>,
    { idHash, ...session }: PresentedSession,
    { role, workspaceInQuery = false }: SessionRule,
  ): Promise<UserCaller | MemberCaller> {
    if (!isSameOrigin(request, this.environment.baseUrl)) throw crossOriginRejected();
    assertNamedWorkspace(request, session.membership, workspaceInQuery);
    if (!isBackgroundRead(request)) await this.sessions.touch(idHash, session);
    const platformAdmin = this.environment.platformAdmins.includes(session.user.id);
    if (role === 'user' || role === 'platform_admin') {
      if (role === 'platform_admin' && !platformAdmin) throw roleMissing(role);
      return { kind: 'user', user: session.user, session: idHash, platformAdmin };
    }
    const member = await this.findMember(session.user, session.membership);
    if (member === null)
      throw (await this.workspaces.isFirstSyncPending(session.user.id)) ? firstSyncPending() : workspaceNotSelected();
    if (member.role !== 'admin' && (role === 'admin' || (role === 'auditor' && session.membership?.auditor !== true)))
      throw roleMissing(role);
    return { kind: 'member', ...member, session: idHash, platformAdmin };
  }

  /** Returns the member, refreshed if it is stale. Null if the user is not a member, or not any more. */
  async findMember(user: User, known: Membership | null): Promise<Member | null> {
    const now = this.clock.now();
    const isStale = known !== null && !(isFresh(known.confirmedAt, now) && isFresh(known.accessObservedAt, now));
    const membership = isStale ? await this.memberships.refresh(user.id, known) : known;
    if (membership === null) return null;
    const { orgId, org, role, accessObservedAt } = membership;
    // If the repository access is unknown, the user sees no private repository.
    const viewer = { orgId, userId: isFresh(accessObservedAt, this.clock.now()) ? user.id : NO_USER_ID };
    return { user, orgId, org, role, viewer };
  }
}
