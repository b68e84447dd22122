import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import { JobHandlers } from '../../jobs/job-handlers.js';
import { Jobs } from '../../jobs/jobs.js';
import { Deployments } from './deployments.service.js';

/** The work on deployments that is put off. */
@Injectable()
export class DeploymentJobs implements OnModuleInit {
  constructor(
    private readonly handlers: JobHandlers,
    private readonly deployments: Deployments,
    private readonly database: Database,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.handlers.register('record-deployment', ({ orgId, repositoryId, deploymentId }) =>
      this.deployments.observe(orgId, repositoryId, deploymentId),
    );
    this.handlers.register('look-for-deployments', ({ orgId, repositoryId }) => this.lookFor(orgId, repositoryId));
  }

  private async lookFor(orgId: OrgId, repositoryId: string): Promise<void> {
    const unsettled = await this.deployments.listUnsettled(orgId, repositoryId);
    await this.database.inTenant(orgId, async (tx) => {
      for (const deploymentId of unsettled) {
        const key = `deployment:${repositoryId}:${deploymentId}`;
        await this.jobs.add(tx, 'record-deployment', { orgId, repositoryId, deploymentId }, { key });
      }
    });
  }
}
