import { Injectable, Logger } from '@nestjs/common';
import { MembershipRenewal } from '../../auth/membership-renewal.js';
import type { Membership } from '../../auth/person.js';
import { MEMBERSHIP_LIFE_MS } from '../../auth/session/session-life.js';
import { Clock } from '../../clock/clock.js';
import { Database } from '../../database/database.js';
import { GitHubError } from '../../github/github-error.js';
import { SharedWork } from '../../github/shared-work.js';
import { DomainError } from '../../http/domain-error.js';
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
    const find = (): Promise<StoredMember | null> =>
      this.database.inTenant(orgId, (tx) => this.members.find(tx, person));
    // Looked at again in the shared work: what is old to a request may have been renewed by one a moment before it.
    const confirm = async (): Promise<void> => {
      if (this.isOld((await find())?.confirmedAt ?? null)) await this.confirmation.confirm(orgId, person);
    };
    const renewAccess = async (): Promise<void> => {
      if (this.isOld((await find())?.accessObservedAt ?? null)) await this.access.renew(orgId, person);
    };
    await Promise.all([
      this.isOld(confirmedAt) && this.attempt(this.confirmations.of(key, confirm, signal)),
      this.isOld(accessObservedAt) && this.attempt(this.accesses.of(key, renewAccess, signal)),
    ]);
    const member = await find();
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
