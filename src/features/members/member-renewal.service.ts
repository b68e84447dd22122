import { Injectable, Logger } from '@nestjs/common';
import { MembershipRenewal } from '../../auth/membership-renewal.js';
import type { Membership } from '../../auth/person.js';
import { MEMBERSHIP_LIFE_MS } from '../../auth/session/session-life.js';
import { Clock } from '../../clock/clock.js';
import { Database } from '../../database/database.js';
import { GitHubError } from '../../github/github-error.js';
import { SharedWork } from '../../github/shared-work.js';
import { DomainError } from '../../http/domain-error.js';
import { MembersRepository } from './members.repository.js';
import { MembershipConfirmation } from './membership-confirmation.service.js';
import { RepositoryAccess } from './repository-access.service.js';

/** How long a request waits for the host's word on its member. */
const ANSWER_MS = 3_000;
const RETRY_AFTER_SECONDS = 30;

/** Asks the host about whoever comes with a membership that grew old: once, also where several requests come together. */
@Injectable()
export class MemberRenewal extends MembershipRenewal {
  private readonly logger = new Logger(MemberRenewal.name);
  private readonly confirmations = new SharedWork<void>();
  private readonly accesses = new SharedWork<void>();

  constructor(
    private readonly database: Database,
    private readonly members: MembersRepository,
    private readonly confirmation: MembershipConfirmation,
    private readonly access: RepositoryAccess,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async renew(
    person: number,
    { orgId, confirmedAt, accessObservedAt }: Membership,
  ): Promise<Membership | null> {
    const key = `${orgId}:${person}`;
    const signal = AbortSignal.timeout(ANSWER_MS);
    await Promise.all([
      this.isOld(confirmedAt) &&
        this.attempt(this.confirmations.of(key, () => this.confirmation.confirm(orgId, person), signal)),
      this.isOld(accessObservedAt) &&
        this.attempt(this.accesses.of(key, () => this.access.renew(orgId, person), signal)),
    ]);
    const member = await this.database.inTenant(orgId, (tx) => this.members.find(tx, person));
    if (member && this.isOld(member.confirmedAt)) {
      throw new DomainError('unavailable', 'Whether you still belong to the organization cannot be checked now.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    return member;
  }

  /** What the host does not say now stays as old as it is. */
  private async attempt(question: Promise<void>): Promise<void> {
    try {
      await question;
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      this.logger.warn(`A member could not be renewed: ${error.message}`);
    }
  }

  private isOld(at: Date | null): boolean {
    return at === null || this.clock.now().getTime() - at.getTime() >= MEMBERSHIP_LIFE_MS;
  }
}
