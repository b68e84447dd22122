import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { JobHandler } from '../../../jobs/job-handlers.js';
import type { JobPayload } from '../../../jobs/job.js';
import { JobsService } from '../../../jobs/jobs.service.js';
import { WorkspacesQueries } from '../../../workspaces/workspaces.queries.js';
import { MemberListSyncService } from './member-list-sync.service.js';
import { RepositoryAccessService } from './repository-access.service.js';

/** Reconciles the members of all workspaces with GitHub. */
@Injectable()
export class MembersJobs {
  constructor(
    private readonly database: Database,
    private readonly workspaces: WorkspacesQueries,
    private readonly memberList: MemberListSyncService,
    private readonly access: RepositoryAccessService,
    private readonly jobs: JobsService,
  ) {}

  @JobHandler('refresh-all-members')
  async enqueueAll(): Promise<void> {
    for (const { orgId } of await this.workspaces.listInstalled()) {
      await this.database.inTenant(orgId, (tx) => this.jobs.enqueue(tx, 'refresh-members', { orgId: tx.orgId }));
    }
  }

  /** Refreshes the members first, so that no access of a former member is read. The second step also runs if the first fails. */
  @JobHandler('refresh-members')
  async refresh({ orgId }: JobPayload<'refresh-members'>): Promise<void> {
    try {
      await this.memberList.sync(orgId);
    } finally {
      await this.access.refreshAll(orgId);
    }
  }
}
