import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { JobHandlers } from '../../../jobs/job-handlers.js';
import { Jobs } from '../../../jobs/jobs.service.js';
import { WorkspaceReader } from '../../../workspaces/workspaces.queries.js';
import { RollCall } from './member-list-sync.service.js';
import { AccessRound } from './repository-access.service.js';

/** Keeps the members of all workspaces in line with the host, whether anybody looks or not. */
@Injectable()
export class MemberJobs implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly workspaces: WorkspaceReader,
    private readonly rollCall: RollCall,
    private readonly accessRound: AccessRound,
    private readonly handlers: JobHandlers,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.handlers.register('renew-all-members', () => this.renewAll());
    this.handlers.register('renew-members', ({ orgId }) => this.renew(orgId));
  }

  async renewAll(): Promise<void> {
    for (const { orgId } of await this.workspaces.listInstalled()) {
      await this.database.inTenant(orgId, (tx) => this.jobs.enqueue(tx, 'renew-members', { orgId: tx.orgId }));
    }
  }

  /** Who belongs there comes first, so that nobody is asked about who left; but it holds nothing up. */
  private async renew(orgId: OrgId): Promise<void> {
    try {
      await this.rollCall.call(orgId);
    } finally {
      await this.accessRound.make(orgId);
    }
  }
}
