import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import { JobHandlers } from '../../jobs/job-handlers.js';
import type { JobPayload } from '../../jobs/job.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { ScopeChangeInProgressError } from '../releases/shipping/shipping.service.js';
import { FactsUnderChange } from './deployments/deployment-decisions.service.js';
import { DeploymentsService } from './deployments/deployments.service.js';

/** Runs the jobs that record deployments. */
@Injectable()
export class HistoryJobs implements OnModuleInit {
  constructor(
    private readonly handlers: JobHandlers,
    private readonly deployments: DeploymentsService,
    private readonly database: Database,
    private readonly jobs: JobsService,
  ) {}

  onModuleInit(): void {
    this.handlers.register('record-deployment', (payload) => this.record(payload));
    this.handlers.register('reconcile-deployments', ({ orgId, repositoryId }) => this.reconcile(orgId, repositoryId));
  }

  private async record(payload: JobPayload<'record-deployment'>): Promise<void> {
    const { orgId, repositoryId, deploymentId } = payload;
    try {
      await this.deployments.record(orgId, repositoryId, deploymentId);
    } catch (error) {
      if (!(error instanceof ScopeChangeInProgressError || error instanceof FactsUnderChange)) throw error;
      const { retryAfterSeconds: delaySeconds } = error;
      // A separate job with a constant delay: the next attempt must come soon, while the scope is still locked.
      await this.database.inTenant(orgId, (tx) =>
        this.jobs.enqueue(tx, 'record-deployment', payload, { delaySeconds }),
      );
    }
  }

  private async reconcile(orgId: OrgId, repositoryId: string): Promise<void> {
    const unsettled = await this.deployments.listUnsettled(orgId, repositoryId);
    await this.database.inTenant(orgId, async (tx) => {
      for (const deploymentId of unsettled)
        await this.jobs.enqueue(tx, 'record-deployment', { orgId, repositoryId, deploymentId });
    });
  }
}
