import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Clock } from '../../config/clock.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { NO_USER_ID } from '../../database/database.js';
import { RateLimitService } from '../../http/rate-limit/rate-limit.service.js';
import { WorkspacesQueries } from '../../workspaces/workspaces.queries.js';
import type { AccessLevel } from '../access.decorators.js';
import {
  workspaceNotSelected,
  crossOriginRejected,
  roleMissing,
  sessionMissing,
  stillReading,
} from '../auth.errors.js';
import { type Member, type MemberCaller, MembershipRefresher, type UserCaller } from '../caller.js';
import { userRateLimitKey } from '../rate-limit-key.js';
import type { Membership, User } from '../user.js';
import { isSameOrigin, readSessionCookie } from './session-cookie.js';
import { isFresh } from './session-lifetime.js';
import { SessionsRepository, type SessionRecord } from './sessions.repository.js';

/** A live session, with the digest of the id by which the request presents it. */
export interface PresentedSession extends SessionRecord {
  readonly idHash: Buffer;
}

/** Lets the person of a session in as far as their role goes. */
@Injectable()
export class SessionAuthService {
  constructor(
    private readonly use: SessionsRepository,
    private readonly memberships: MembershipRefresher,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly workspaces: WorkspacesQueries,
  ) {}

  /** Throws `forbidden` where the session does not reach so far. */
  async authorize(
    request: Pick<FastifyRequest, 'method' | 'headers'>,
    { idHash, ...session }: PresentedSession,
    role: AccessLevel,
  ): Promise<UserCaller | MemberCaller> {
    if (!isSameOrigin(request, this.environment.baseUrl)) throw crossOriginRejected();
    await this.use.touch(idHash, session);
    const platformAdmin = this.environment.platformAdmins.includes(session.user.id);
    if (role === 'user' || role === 'platform_admin') {
      if (role === 'platform_admin' && !platformAdmin) throw roleMissing(role);
      return { kind: 'user', user: session.user, session: idHash, platformAdmin };
    }
    const member = await this.findMember(session.user, session.membership);
    if (member === null)
      throw (await this.workspaces.isFirstSyncPending(session.user.id)) ? stillReading() : workspaceNotSelected();
    if (role === 'admin' && member.role !== 'admin') throw roleMissing(role);
    return { kind: 'member', ...member, session: idHash, platformAdmin };
  }

  /** The member as of now; null where the person is none, or is none any more. */
  async findMember(user: User, known: Membership | null): Promise<Member | null> {
    const now = this.clock.now();
    const old = known !== null && !(isFresh(known.confirmedAt, now) && isFresh(known.accessObservedAt, now));
    const membership = old ? await this.memberships.refresh(user.id, known) : known;
    if (membership === null) return null;
    const { orgId, org, role, accessObservedAt } = membership;
    // What the person may read is not known now: then it is no private repository.
    const viewer = { orgId, userId: isFresh(accessObservedAt, this.clock.now()) ? user.id : NO_USER_ID };
    return { user, orgId, org, role, viewer };
  }
}

/**
 * Lets people in by their session, and counts whom it refuses: the limit of the route counts those alone who are let in,
 * and a refusal costs as much. Without a cookie that the service has signed nothing is looked up, and nothing counted.
 */
@Injectable()
export class SessionRateLimitService {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly users: SessionAuthService,
    private readonly limits: RateLimitService,
  ) {}

  /**
   * Throws `unauthenticated` where there is no live session, `forbidden` where it does not reach so far, and
   * `rate_limited` in their place where too many such requests came before.
   */
  async authorize(request: FastifyRequest, reply: FastifyReply, role: AccessLevel): Promise<UserCaller | MemberCaller> {
    const idHash = readSessionCookie(request);
    if (idHash === null) throw sessionMissing();
    // Not for the address: others may call from it whose sessions live, or who want to sign in.
    const dead = `session:${idHash.toString('base64url')}`;
    this.limits.assertNotExhausted('session', dead, reply);
    const session = await this.sessions.find(idHash);
    if (session === null) {
      await this.limits.consume('session', dead, reply);
      throw sessionMissing();
    }
    try {
      return await this.users.authorize(request, { idHash, ...session }, role);
    } catch (refusal) {
      await this.limits.consume('session', userRateLimitKey(session.user), reply);
      throw refusal;
    }
  }
}
