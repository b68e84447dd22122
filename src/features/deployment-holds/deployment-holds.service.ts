import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { AppCredentialsProvider } from '../../config/app-credentials.js';
import { Database, type TenantTransaction } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import { GitHubGateway } from '../../github/github-gateway.js';
import type { RepositoryRef } from '../../github/transport/token-scope.js';
import { JobsService } from '../../jobs/jobs.service.js';
import type { Repository } from '../../workspaces/repositories.repository.js';
import { DeploymentHoldsRepository, type HoldRequest } from './deployment-holds.repository.js';

/** Stores the holds: deployments that wait for the protection rule. One job for each hold answers it. */
@Injectable()
export class DeploymentHoldsService {
  constructor(
    private readonly database: Database,
    private readonly holds: DeploymentHoldsRepository,
    private readonly jobs: JobsService,
    private readonly github: GitHubGateway,
    private readonly credentials: AppCredentialsProvider,
    private readonly clock: Clock,
  ) {}

  /** Stores deployments that may wait according to a delivery. */
  async request(orgId: OrgId, repositoryId: string, requests: readonly HoldRequest[]): Promise<void> {
    if (requests.length === 0) return;
    await this.database.inTenant(orgId, async (tx) => {
      for (const request of requests) {
        const holdId = await this.holds.request(tx, repositoryId, request, this.clock.now());
        if (holdId !== null) await this.enqueue(tx, repositoryId, holdId);
      }
    });
  }

  /**
   * Checks every waiting deployment again, and finds deployments whose delivery was lost. Searches only repositories in which the
   * rule was enabled here or held a deployment before.
   */
  async reconcile(orgId: OrgId, repository: Repository): Promise<void> {
    const { isKnown, waiting } = await this.database.inTenant(orgId, async (tx) => ({
      isKnown: await this.holds.isKnown(tx, repository.id),
      waiting: await this.holds.listWaiting(tx, repository.id),
    }));
    if (!isKnown || !repository.ref) return;
    await this.database.inTenant(orgId, async (tx) => {
      for (const holdId of waiting) await this.enqueue(tx, repository.id, holdId);
    });
    await this.request(orgId, repository.id, await this.findLost(repository.ref));
  }

  private async enqueue(tx: TenantTransaction, repositoryId: string, holdId: string): Promise<void> {
    await this.jobs.enqueue(tx, 'answer-hold', { orgId: tx.orgId, repositoryId, holdId });
  }

  private async findLost(ref: RepositoryRef): Promise<readonly HoldRequest[]> {
    const { value: runs } = await this.github.workflowRuns.listWaiting(ref);
    const found: HoldRequest[] = [];
    const ours = new Map<string, boolean>();
    // One after the other: GitHub recommends no concurrent requests.
    for (const runId of runs) {
      const { value: pending } = await this.github.deploymentReviews.listPending(ref, runId);
      for (const { environment } of pending) {
        const isOurs = ours.get(environment) ?? (await this.hasRule(ref, environment));
        ours.set(environment, isOurs);
        if (isOurs) found.push({ runId, environment, deploymentId: null });
      }
    }
    return found;
  }

  private async hasRule(ref: RepositoryRef, environment: string): Promise<boolean> {
    const appId = Number(this.credentials.current()?.appId);
    const { value: rules } = await this.github.environments.listRules(ref, environment);
    return rules?.some((rule) => rule.appId === appId && rule.enabled) ?? false;
  }
}
