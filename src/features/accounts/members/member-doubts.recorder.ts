import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { Jobs } from '../../../jobs/jobs.js';
import { MembersRepository } from './members.repository.js';

export interface Doubts {
  /** Of whom it is in doubt that they belong to the organization. */
  readonly belonging: readonly number[];
  /** Of whom it is in doubt what they may read. */
  readonly reading: readonly number[] | 'everyone';
}

/** Takes note that something may have changed about members. */
@Injectable()
export class MemberDoubts {
  constructor(
    private readonly database: Database,
    private readonly members: MembersRepository,
    private readonly jobs: Jobs,
  ) {}

  /**
   * What was known of them counts no more until the host was asked again: by the job that is added, or by their next
   * request if that comes first.
   */
  async raise(orgId: OrgId, { belonging, reading }: Doubts): Promise<void> {
    await this.database.inTenant(orgId, async (tx) => {
      await this.members.doubtMembership(tx, belonging);
      await this.members.doubtAccess(tx, reading === 'everyone' ? null : reading);
      await this.jobs.enqueue(tx, 'renew-members', { orgId: tx.orgId });
    });
  }
}
