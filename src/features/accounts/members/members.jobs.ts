import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { JobHandlers } from '../../../jobs/job-handlers.js';
import { JobsService } from '../../../jobs/jobs.service.js';
import { WorkspacesQueries } from '../../../workspaces/workspaces.queries.js';
import { MemberListSyncService } from './member-list-sync.service.js';
import { RepositoryAccessService } from './repository-access.service.js';

/** Reconciles the members of all workspaces with GitHub. */
@Injectable()
export class MembersJobs implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly workspaces: WorkspacesQueries,
    private readonly memberList: MemberListSyncService,
    private readonly access: RepositoryAccessService,
    private readonly handlers: JobHandlers,
    private readonly jobs: JobsService,
  ) {}

  onModuleInit(): void {
    this.handlers.register('refresh-all-members', () => this.enqueueAll());
    this.handlers.register('refresh-members', ({ orgId }) => this.refresh(orgId));
  }

  async enqueueAll(): Promise<void> {
    for (const { orgId } of await this.workspaces.listInstalled()) {
      await this.database.inTenant(orgId, (tx) => this.jobs.enqueue(tx, 'refresh-members', { orgId: tx.orgId }));
    }
  }

  /** Refreshes the members first, so that no access of a former member is read. The second step also runs if the first fails. */
  private async refresh(orgId: OrgId): Promise<void> {
    try {
      await this.memberList.sync(orgId);
    } finally {
      await this.access.refreshAll(orgId);
    }
  }
}
