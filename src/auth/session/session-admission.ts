import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequestLimits } from '../../http/rate-limit/request-limits.js';
import type { Role } from '../access-rule.js';
import type { MemberCaller, PersonCaller } from '../caller.js';
import { subjectOfPerson } from '../rate-limit-key.js';
import { sessionMissing } from '../refusal.js';
import { PersonAuthenticator } from './person-authenticator.js';
import { readSessionCookie } from './session-cookie.js';
import { SessionReader } from './session.reader.js';

/**
 * Lets people in by their session, and counts whom it refuses: the limit of the route counts those alone who are let in,
 * and a refusal costs as much. Without a cookie that the service has signed nothing is looked up, and nothing counted.
 */
@Injectable()
export class SessionAdmission {
  constructor(
    private readonly sessions: SessionReader,
    private readonly people: PersonAuthenticator,
    private readonly limits: RequestLimits,
  ) {}

  /**
   * Throws `unauthenticated` where there is no live session, `forbidden` where it does not reach so far, and
   * `rate_limited` in their place where too many such requests came before.
   */
  async admit(request: FastifyRequest, reply: FastifyReply, role: Role): Promise<PersonCaller | MemberCaller> {
    const idHash = readSessionCookie(request);
    if (idHash === null) throw sessionMissing();
    // Not for the address: others may call from it whose sessions live, or who want to sign in.
    const dead = `session:${idHash.toString('base64url')}`;
    this.limits.refuseExhausted('session', dead, reply);
    const session = await this.sessions.find(idHash);
    if (session === null) {
      await this.limits.spend('session', dead, reply);
      throw sessionMissing();
    }
    try {
      return await this.people.admit(request, { idHash, ...session }, role);
    } catch (refusal) {
      await this.limits.spend('session', subjectOfPerson(session.person), reply);
      throw refusal;
    }
  }
}
