import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DomainError } from '../../http/errors/domain-error.js';
import { RateLimitService } from '../../http/rate-limit/rate-limit.service.js';
import type { SessionRule } from '../access.decorators.js';
import { sessionMissing, sessionOrKeyMissing } from '../auth.errors.js';
import type { MemberCaller, UserCaller } from '../caller.js';
import { userRateLimitKey } from '../rate-limit-key.js';
import { readSessionCookie } from './session-cookie.js';
import { setWorkspaceHeader } from './named-workspace.js';
import { SessionsRepository } from './sessions.repository.js';
import { SessionAuthService } from './session-auth.service.js';

/**
 * Authenticates sessions and limits the rejected requests. The rate limit of the route counts only authorized requests, and a
 * rejected one costs as much. A request without a signed cookie causes no query and is not counted.
 */
@Injectable()
export class SessionRateLimitService {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly sessionAuth: SessionAuthService,
    private readonly limits: RateLimitService,
  ) {}

  /**
   * Throws `unauthenticated` if there is no active session, and the errors of `SessionAuthService.authorize`. After too many such
   * requests it throws `rate_limited` instead. Every other response names the workspace of the session.
   */
  async authorize(request: FastifyRequest, reply: FastifyReply, rule: SessionRule): Promise<UserCaller | MemberCaller> {
    const idHash = readSessionCookie(request);
    if (idHash === null) throw credentialMissing(rule);
    // Not counted by address, because other users may use the same one.
    const rejected = `session:${idHash.toString('base64url')}`;
    this.limits.assertNotExhausted('session', rejected, reply);
    const session = await this.sessions.find(idHash);
    if (session === null) {
      await this.limits.consume('session', rejected, reply);
      throw credentialMissing(rule);
    }
    if (session.membership !== null) setWorkspaceHeader(reply, session.membership);
    try {
      return await this.sessionAuth.authorize(request, { idHash, ...session }, rule);
    } catch (error) {
      await this.limits.consume('session', userRateLimitKey(session.user), reply);
      throw error;
    }
  }
}

function credentialMissing({ personalKey, ci }: SessionRule): DomainError {
  if (personalKey !== undefined) return sessionOrKeyMissing('a personal key');
  return ci === undefined ? sessionMissing() : sessionOrKeyMissing('a credential of CI');
}
