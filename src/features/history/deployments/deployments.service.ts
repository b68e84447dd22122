import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { isSameEnvironment, reachedTarget } from '../../../domain/history/deployment-kind.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { ReposReader } from '../../../workspaces/repos.reader.js';
import { RefreshRequests } from '../../releases/evaluation/refresh-requests.recorder.js';
import { KnownPolicyReader } from '../../releases/facts/known-policy.reader.js';
import { Shipping } from '../../releases/shipping/shipping.service.js';
import { DeployedReleaseReader } from './deployed-release.reader.js';
import { DeploymentSettlement } from './deployment-settlement.service.js';
import { DeploymentsRepository } from './deployments.repository.js';

/** Observes deployments: what they shipped, what they rolled back to, and what went past the service. */
@Injectable()
export class Deployments {
  constructor(
    private readonly database: Database,
    private readonly deployments: DeploymentsRepository,
    private readonly policies: KnownPolicyReader,
    private readonly repos: ReposReader,
    private readonly deployedReleases: DeployedReleaseReader,
    private readonly settlement: DeploymentSettlement,
    private readonly refreshes: RefreshRequests,
    private readonly shipping: Shipping,
    private readonly github: GitHubGateway,
  ) {}

  /**
   * Reads a deployment from the host and records what it did, once, however often it is told of. Throws `ScopeBeingChanged`
   * or `FactsUnderChange` where it is to be tried again soon.
   */
  async observe(orgId: OrgId, repositoryId: string, deploymentId: number): Promise<void> {
    const repository = await this.database.inTenant(orgId, (tx) => this.repos.find(tx, repositoryId));
    if (!repository?.ref) return;
    const { value: deployment, observedAt } = await this.github.deployments.find(repository.ref, deploymentId);
    if (!deployment) return;
    const policy = await this.database.inTenant(orgId, async (tx) => {
      const known = await this.policies.find(tx, repositoryId);
      const waiting =
        deployment.waiting && known !== null && isSameEnvironment(deployment.environment, known.deployment.target);
      await this.deployments.record(tx, repositoryId, { ...deployment, waiting }, observedAt);
      // From here on its gate is judged before each verdict expires: nobody asks when it is let go.
      const waitsFor = waiting ? await this.deployments.listOfCandidate(tx, repositoryId, deployment.sha) : [];
      await this.refreshes.askFor(tx, waitsFor, 'deployment');
      return known;
    });
    // Where no policy names a target, nothing is settled: the sync tells of the deployment again.
    if (!policy || !reachedTarget(deployment, policy.deployment.target)) return;
    const deployed = await this.deployedReleases.find(orgId, repositoryId, deployment);
    await this.shipping.insist(orgId, (tx) => this.settlement.settle(tx, repositoryId, deployment, deployed));
  }

  /** Deployments to the target that nobody told of, or that could not be settled when somebody did. */
  async listUnsettled(orgId: OrgId, repositoryId: string): Promise<readonly number[]> {
    const { repository, target } = await this.database.inTenant(orgId, async (tx) => ({
      repository: await this.repos.find(tx, repositoryId),
      target: (await this.policies.find(tx, repositoryId))?.deployment.target,
    }));
    if (!repository?.ref || target === undefined) return [];
    const { value: recent } = await this.github.deployments.recent(repository.ref, target);
    const reached = recent.filter((deployment) => reachedTarget(deployment, target));
    return this.database.inTenant(orgId, (tx) => this.deployments.listUnsettled(tx, repositoryId, reached));
  }
}
