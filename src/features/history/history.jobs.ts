import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { JobHandler } from '../../jobs/job-handlers.js';
import type { JobPayload } from '../../jobs/job.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { ScopeChangeInProgressError } from '../releases/shipping/shipping.service.js';
import { FactsUnderChange } from './deployments/deployment-decisions.service.js';
import { DeploymentsService } from './deployments/deployments.service.js';

/** Runs the jobs that record deployments. */
@Injectable()
export class HistoryJobs {
  constructor(
    private readonly deployments: DeploymentsService,
    private readonly database: Database,
    private readonly jobs: JobsService,
  ) {}

  @JobHandler('record-deployment')
  async record(payload: JobPayload<'record-deployment'>): Promise<void> {
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

  @JobHandler('reconcile-deployments')
  async reconcile({ orgId, repositoryId }: JobPayload<'reconcile-deployments'>): Promise<void> {
    const unsettled = await this.deployments.listUnsettled(orgId, repositoryId);
    await this.database.inTenant(orgId, async (tx) => {
      for (const deploymentId of unsettled)
        await this.jobs.enqueue(tx, 'record-deployment', { orgId, repositoryId, deploymentId });
    });
  }
}
