import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import { Jobs } from '../../jobs/jobs.js';
import { MembersRepository } from './members.repository.js';
import { renewMembers } from './renew-members.js';

/** Takes note that something may have changed about members. */
@Injectable()
export class MemberDoubts {
  constructor(
    private readonly database: Database,
    private readonly members: MembersRepository,
    private readonly jobs: Jobs,
  ) {}

  /**
   * From now on what these people may read counts no more until the host was asked again, which is done at once, and
   * with it who still belongs to the organization.
   */
  async raise(orgId: OrgId, people: readonly number[] | 'everyone'): Promise<void> {
    await this.database.inTenant(orgId, async (tx) => {
      await this.members.doubtAccess(tx, people === 'everyone' ? null : people);
      await renewMembers(this.jobs, tx);
    });
  }
}
