import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Clock } from '../../config/clock.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { NOBODY } from '../../database/database.js';
import { FirstReadingReader } from '../../workspaces/first-reading.reader.js';
import type { Role } from '../access-rule.js';
import type { Member, MemberCaller, PersonCaller } from '../caller.js';
import { MembershipRenewal } from '../membership-renewal.js';
import { noMembership, notFromHere, roleMissing, stillReading } from '../refusal.js';
import type { Membership, Person } from '../user.js';
import { mayActForSession } from './same-origin.js';
import { lasts } from './session-lifetime.js';
import { SessionUseRecorder } from './session-use.recorder.js';
import type { SessionRecord } from './session.reader.js';

/** A live session, with the digest of the id by which the request presents it. */
export interface PresentedSession extends SessionRecord {
  readonly idHash: Buffer;
}

/** Lets the person of a session in as far as their role goes. */
@Injectable()
export class PersonAuthenticator {
  constructor(
    private readonly use: SessionUseRecorder,
    private readonly memberships: MembershipRenewal,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly firstReading: FirstReadingReader,
  ) {}

  /** Throws `forbidden` where the session does not reach so far. */
  async admit(
    request: Pick<FastifyRequest, 'method' | 'headers'>,
    { idHash, ...session }: PresentedSession,
    role: Role,
  ): Promise<PersonCaller | MemberCaller> {
    if (!mayActForSession(request, this.environment.baseUrl)) throw notFromHere();
    await this.use.note(idHash, session);
    const platformAdmin = this.environment.platformAdmins.includes(session.person.id);
    if (role === 'person' || role === 'platform_admin') {
      if (role === 'platform_admin' && !platformAdmin) throw roleMissing(role);
      return { kind: 'person', person: session.person, session: idHash, platformAdmin };
    }
    const member = await this.findMember(session.person, session.membership);
    if (member === null) throw (await this.firstReading.concerns(session.person.id)) ? stillReading() : noMembership();
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
