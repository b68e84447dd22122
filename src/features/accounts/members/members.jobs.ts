import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { JobHandlers } from '../../../jobs/job-handlers.js';
import { JobsService } from '../../../jobs/jobs.service.js';
import { WorkspacesQueries } from '../../../workspaces/workspaces.queries.js';
import { MemberListSyncService } from './member-list-sync.service.js';
import { RepositoryAccessService } from './repository-access.service.js';

/** Keeps the members of all workspaces in line with the host, whether anybody looks or not. */
@Injectable()
export class MembersJobs implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly workspaces: WorkspacesQueries,
    private readonly rollCall: MemberListSyncService,
    private readonly accessRound: RepositoryAccessService,
    private readonly handlers: JobHandlers,
    private readonly jobs: JobsService,
  ) {}

  onModuleInit(): void {
    this.handlers.register('refresh-all-members', () => this.renewAll());
    this.handlers.register('refresh-members', ({ orgId }) => this.renew(orgId));
  }

  async renewAll(): Promise<void> {
    for (const { orgId } of await this.workspaces.listInstalled()) {
      await this.database.inTenant(orgId, (tx) => this.jobs.enqueue(tx, 'refresh-members', { orgId: tx.orgId }));
    }
  }

  /** Who belongs there comes first, so that nobody is asked about who left; but it holds nothing up. */
  private async renew(orgId: OrgId): Promise<void> {
    try {
      await this.rollCall.sync(orgId);
    } finally {
      await this.accessRound.refreshAll(orgId);
    }
  }
}
