import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Clock } from '../../clock/clock.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { NOBODY } from '../../database/database.js';
import type { Role } from '../access-rule.js';
import type { Member, MemberCaller, PersonCaller } from '../caller.js';
import { MembershipRenewal } from '../membership-renewal.js';
import type { Membership, Person } from '../person.js';
import { noMembership, notFromHere, roleMissing, sessionMissing } from '../refusal.js';
import { mayActForSession } from './same-origin.js';
import { readSessionCookie } from './session-cookie.js';
import { lasts } from './session-life.js';
import { SessionUseRecorder } from './session-use.recorder.js';
import { SessionReader } from './session.reader.js';

/** Says which person a session is of, and lets them in as far as their role goes. */
@Injectable()
export class PersonAuthenticator {
  constructor(
    private readonly sessions: SessionReader,
    private readonly use: SessionUseRecorder,
    private readonly memberships: MembershipRenewal,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Throws `unauthenticated` where there is no live session, `forbidden` where it does not reach so far. */
  async admit(request: FastifyRequest, role: Role): Promise<PersonCaller | MemberCaller> {
    const idHash = readSessionCookie(request);
    const session = idHash && (await this.sessions.find(idHash));
    if (!session) throw sessionMissing();
    if (!mayActForSession(request, this.environment.baseUrl)) throw notFromHere();
    await this.use.note(idHash, session);
    const platformAdmin = this.environment.platformAdmins.includes(session.person.id);
    if (role === 'person' || role === 'platform_admin') {
      if (role === 'platform_admin' && !platformAdmin) throw roleMissing(role);
      return { kind: 'person', person: session.person, session: idHash, platformAdmin };
    }
    const member = await this.findMember(session.person, session.membership);
    if (member === null) throw noMembership();
    if (role === 'admin' && member.role !== 'admin') throw roleMissing(role);
    return { kind: 'member', ...member, session: idHash, platformAdmin };
  }

  /** The member as of now; null where the person is none, or is none any more. */
  async findMember(person: Person, known: Membership | null): Promise<Member | null> {
    const now = this.clock.now();
    const old = known !== null && !(lasts(known.confirmedAt, now) && lasts(known.accessObservedAt, now));
    const membership = old ? await this.memberships.renew(person.id, known) : known;
    if (membership === null) return null;
    const { orgId, org, role, accessObservedAt } = membership;
    // What the person may read is not known now: then it is no private repository.
    const viewer = { orgId, person: lasts(accessObservedAt, this.clock.now()) ? person.id : NOBODY };
    return { person, orgId, org, role, viewer };
  }
}
