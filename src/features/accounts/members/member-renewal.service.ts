import { Injectable, Logger } from '@nestjs/common';
import { MembershipRenewal } from '../../../auth/membership-renewal.js';
import { lasts } from '../../../auth/session/session-lifetime.js';
import type { Membership } from '../../../auth/user.js';
import { RecentFailures } from '../../../concurrency/recent-failures.js';
import { SharedWork } from '../../../concurrency/single-flight.js';
import { Clock } from '../../../config/clock.js';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { GitHubError, stoppedWaiting } from '../../../github/transport/github-error.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { MembersRepository, type StoredMember } from './members.repository.js';
import { MembershipConfirmation } from './membership-confirmation.service.js';
import { RepositoryAccess } from './repository-access.service.js';

/** How long a request waits for the host's word on its member. */
const ANSWER_MS = 3_000;
const RETRY_AFTER_SECONDS = 30;

/** Asks the host about whoever comes with a membership that grew old: once, also where several requests come together. */
@Injectable()
export class MemberRenewal extends MembershipRenewal {
  private readonly logger = new Logger(MemberRenewal.name);
  private readonly confirmations = new SharedWork<void>(stoppedWaiting);
  private readonly accesses = new SharedWork<void>(stoppedWaiting);
  private readonly unconfirmed: RecentFailures;
  private readonly silences: RecentFailures;

  constructor(
    private readonly database: Database,
    private readonly members: MembersRepository,
    private readonly confirmation: MembershipConfirmation,
    private readonly access: RepositoryAccess,
    private readonly clock: Clock,
  ) {
    super();
    this.unconfirmed = new RecentFailures(clock);
    this.silences = new RecentFailures(clock);
  }

  override async renew(
    person: number,
    { orgId, confirmedAt, accessObservedAt }: Membership,
  ): Promise<Membership | null> {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const question = `${orgId}:${person}`;
    // Nothing else counts the requests of whoever is not let in: each would spend the host's budget, also other people's.
    const asks = this.isOld(confirmedAt) && !this.unconfirmed.has(question);
    await Promise.all([
      asks && this.confirm(orgId, person, signal),
      this.isOld(accessObservedAt) && this.renewAccess(orgId, person, signal),
    ]);
    const member = await this.find(orgId, person);
    if (member && this.isOld(member.confirmedAt)) {
      if (asks) this.unconfirmed.add(question);
      throw new DomainError('unavailable', 'Whether you still belong to the organization cannot be checked now.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    return member;
  }

  /** What is old to a request may have been renewed by one a moment before it: the shared work looks again. */
  private async confirm(orgId: OrgId, person: number, signal: AbortSignal): Promise<void> {
    const confirm = async (): Promise<void> => {
      const member = await this.find(orgId, person);
      if (member && this.isOld(member.confirmedAt)) await this.confirmation.confirm(orgId, person);
    };
    await this.attempt(this.confirmations.of(`${orgId}:${person}`, confirm, signal));
  }

  /** A person goes on without what is private, so they need not wait for it with each request. */
  private async renewAccess(orgId: OrgId, person: number, signal: AbortSignal): Promise<void> {
    const key = `${orgId}:${person}`;
    if (this.silences.has(key)) return;
    const renew = async (): Promise<void> => {
      const member = await this.find(orgId, person);
      if (member && this.isOld(member.accessObservedAt)) await this.access.renew(orgId, person);
    };
    if (!(await this.attempt(this.accesses.of(key, renew, signal)))) this.silences.add(key);
  }

  /** False where the host gives no answer: then what was known stays as old as it is. */
  private async attempt(question: Promise<void>): Promise<boolean> {
    try {
      await question;
      return true;
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      this.logger.warn(`A member could not be renewed: ${error.message}`);
      return false;
    }
  }

  private async find(orgId: OrgId, person: number): Promise<StoredMember | null> {
    return this.database.inTenant(orgId, (tx) => this.members.find(tx, person));
  }

  private isOld(at: Date | null): boolean {
    return !lasts(at, this.clock.now());
  }
}
