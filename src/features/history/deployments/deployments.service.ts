import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database, type TenantTransaction } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import type { DeploymentFact } from '../../../domain/facts/facts.js';
import {
  deploymentKind,
  isSameEnvironment,
  leadTimeSeconds,
  isDeployedToTarget,
} from '../../../domain/history/deployment.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { RefreshRequests } from '../../releases/evaluation/refresh-requests.repository.js';
import { ObservationsRepository } from '../../releases/facts/observations.repository.js';
import { ShippingService } from '../../releases/shipping/shipping.service.js';
import {
  type MatchedRelease,
  DeploymentDecisionsService,
  FreezesAtDeployment,
} from './deployment-decisions.service.js';
import { DeploymentsRepository } from './deployments.repository.js';

const deployerOf = ({ creator }: DeploymentFact): string => creator ?? 'unknown';

/** Observes deployments: what they shipped, what they rolled back to, and what went past the service. Draws the consequences of a deployment that reached the target. */
@Injectable()
export class DeploymentsService {
  constructor(
    private readonly database: Database,
    private readonly deployments: DeploymentsRepository,
    private readonly policies: ObservationsRepository,
    private readonly repos: RepositoriesRepository,
    private readonly deployedReleases: DeploymentDecisionsService,
    private readonly refreshes: RefreshRequests,
    private readonly shipping: ShippingService,
    private readonly github: GitHubGateway,
    private readonly freezes: FreezesAtDeployment,
    private readonly clock: Clock,
  ) {}

  /**
   * Reads a deployment from the host and records what it did, once, however often it is told of. Throws `ScopeChangeInProgressError`
   * or `FactsUnderChange` where it is to be tried again soon.
   */
  async record(orgId: OrgId, repositoryId: string, deploymentId: number): Promise<void> {
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
    if (!policy || !isDeployedToTarget(deployment, policy.deployment.target)) return;
    const deployed = await this.deployedReleases.find(orgId, repositoryId, deployment);
    await this.shipping.shipWithScopeLock(orgId, (tx) => this.classifyAndShip(tx, repositoryId, deployment, deployed));
  }

  /** Deployments to the target that nobody told of, or that could not be settled when somebody did. */
  async listUnsettled(orgId: OrgId, repositoryId: string): Promise<readonly number[]> {
    const { repository, target } = await this.database.inTenant(orgId, async (tx) => ({
      repository: await this.repos.find(tx, repositoryId),
      target: (await this.policies.find(tx, repositoryId))?.deployment.target,
    }));
    if (!repository?.ref || target === undefined) return [];
    const { value: recent } = await this.github.deployments.listRecent(repository.ref, target);
    const reached = recent.filter((deployment) => isDeployedToTarget(deployment, target));
    return this.database.inTenant(orgId, (tx) => this.deployments.listUnsettled(tx, repositoryId, reached));
  }

  /** Ships the release that the deployment shipped, if it did, and records what it was, once. */
  async classifyAndShip(
    tx: TenantTransaction,
    repositoryId: string,
    deployment: DeploymentFact,
    deployed: MatchedRelease | null,
  ): Promise<void> {
    if (deployment.succeededAt === null) return;
    const deployedAt = new Date(deployment.succeededAt);
    const standing = await this.deployments.listDeployable(tx, repositoryId);
    if (await this.deployments.isRecorded(tx, repositoryId, deployment.githubId)) return;
    const release = standing.find(({ id }) => id === deployed?.release.id) ?? null;
    const decision = deployed?.decision ?? null;
    const began = new Date(deployment.beganAt);
    const frozen = await this.freezes.held(tx, began, decision);
    const superseded = release !== null && (await this.deployments.wasSuperseded(tx, repositoryId, release.id, began));
    const kind = deploymentKind(release && { ...release, superseded, decision, frozen });
    if (kind === 'again') return;
    const ships = kind === 'release' || kind === 'hotfix';
    const shipment = release && { releaseId: release.id, deployedSha: deployment.sha, actor: deployerOf(deployment) };
    const verdict = ships && shipment && decision ? await this.shipping.ship(tx, shipment, decision.id) : null;
    if (ships && !verdict) throw new Error(`Deployment ${deployment.githubId} ships a release that changed meanwhile.`);
    await this.deployments.addToHistory(
      tx,
      {
        repositoryId,
        releaseId: release?.id ?? null,
        version: release?.version ?? null,
        kind,
        commitSha: deployment.sha,
        environment: deployment.environment,
        deployedAt,
        deployedBy: deployment.creator,
        approvers: verdict?.approval?.approvers ?? [],
        decisionId: ships ? (decision?.id ?? null) : null,
        overrides: ships ? (decision?.overrides ?? []) : [],
        leadTimeSeconds: ships && release ? leadTimeSeconds(release.startedAt, deployedAt) : null,
        source: { deploymentGithubId: deployment.githubId },
      },
      this.clock.now(),
    );
  }
}
