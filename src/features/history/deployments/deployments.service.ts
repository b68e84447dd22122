import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database, type TenantTransaction } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import type { DeploymentFact, Observation } from '../../../domain/facts/facts.js';
import { isDeployedToTarget } from '../../../domain/history/deployment.js';
import { isStartProven, shippingDecision, withoutFailed } from '../../../domain/history/reported-deployment.js';
import { isSameEnvironment } from '../../../domain/policy/policy.js';
import { EventsRepository } from '../../../events/events.repository.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { JobHandler } from '../../../jobs/job-handlers.js';
import type { JobPayload } from '../../../jobs/job.js';
import { JobsService } from '../../../jobs/jobs.service.js';
import { RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { ReleaseRefreshService } from '../../releases/evaluation/release-refresh.service.js';
import { ObservationsRepository } from '../../releases/facts/observations.repository.js';
import { ScopeChangeInProgressError, ShippingService } from '../../releases/shipping/shipping.service.js';
import { type MatchedRelease, DeploymentDecisionsService, FactsUnderChange } from './deployment-decisions.service.js';
import { DeploymentClassificationService } from './deployment-classification.service.js';
import { DeploymentsRepository } from './deployments.repository.js';
import { ReportedDeploymentsRepository } from './reported-deployments.repository.js';
import { RunningArtifactsRepository } from './running-artifacts.repository.js';

/** How long a reported deployment is tried again, in milliseconds, for example until the policy is valid again. */
const RECORDED_WITHIN_MS = 7 * 86_400_000;

const isRunning = ({ state, waiting, succeededAt }: DeploymentFact): boolean =>
  state === 'pending' && !waiting && succeededAt === null;

/** Records deployments of GitHub, classifies them as release, hotfix, rollback or ungoverned, and ships the deployed release. */
@Injectable()
export class DeploymentsService {
  constructor(
    private readonly database: Database,
    private readonly deployments: DeploymentsRepository,
    private readonly observations: ObservationsRepository,
    private readonly refresh: ReleaseRefreshService,
    private readonly repos: RepositoriesRepository,
    private readonly deploymentDecisions: DeploymentDecisionsService,
    private readonly jobs: JobsService,
    private readonly shipping: ShippingService,
    private readonly github: GitHubGateway,
    private readonly classification: DeploymentClassificationService,
    private readonly reports: ReportedDeploymentsRepository,
    private readonly running: RunningArtifactsRepository,
    private readonly events: EventsRepository,
    private readonly clock: Clock,
  ) {}

  /** Reads a deployment from GitHub and adds it to the history once, however often it is reported. */
  @JobHandler('record-deployment')
  async record(payload: JobPayload<'record-deployment'>): Promise<void> {
    const { orgId, repositoryId, deploymentId } = payload;
    try {
      await this.readAndRecord(orgId, repositoryId, deploymentId);
    } catch (error) {
      if (!(error instanceof ScopeChangeInProgressError || error instanceof FactsUnderChange)) throw error;
      const { retryAfterSeconds: delaySeconds } = error;
      // A separate job with a constant delay: the next attempt must come soon, while the scope is still locked.
      await this.database.inTenant(orgId, (tx) =>
        this.jobs.enqueue(tx, 'record-deployment', payload, { delaySeconds }),
      );
    }
  }

  /** Enqueues the deployments to the target that were never reported or could not be recorded when they were. */
  @JobHandler('reconcile-deployments')
  async reconcile({ orgId, repositoryId }: JobPayload<'reconcile-deployments'>): Promise<void> {
    const unsettled = await this.listUnsettled(orgId, repositoryId);
    await this.database.inTenant(orgId, async (tx) => {
      await this.enqueueReported(tx, repositoryId);
      for (const deploymentId of unsettled)
        await this.jobs.enqueue(tx, 'record-deployment', { orgId, repositoryId, deploymentId });
    });
  }

  private async readAndRecord(orgId: OrgId, repositoryId: string, deploymentId: number): Promise<void> {
    const repository = await this.database.inTenant(orgId, (tx) => this.repos.find(tx, repositoryId));
    if (!repository?.ref) return;
    const { value: deployment, observedAt } = await this.github.deployments.find(repository.ref, deploymentId);
    if (!deployment) return;
    const policy = await this.database.inTenant(orgId, async (tx) => {
      const known = await this.observations.find(tx, repositoryId);
      const waiting =
        deployment.waiting && known !== null && isSameEnvironment(deployment.environment, known.deployment.target);
      const isChanged = await this.deployments.record(tx, repositoryId, { ...deployment, waiting }, observedAt);
      // Without a release, because it changes what every release of the repository finds in the environment.
      if (isChanged) await this.events.append(tx, { type: 'deployment.updated', repositoryId });
      // From now on the verdict is renewed before it expires, because no request checks the gate when the deployment is approved.
      const waitingIds = waiting ? await this.deployments.listOfCandidate(tx, repositoryId, deployment.sha) : [];
      for (const releaseId of waitingIds) {
        await this.jobs.enqueue(tx, 'refresh-release', { orgId: tx.orgId, releaseId, cause: 'deployment' });
      }
      return known;
    });
    await this.invalidateWithout(orgId, repositoryId, deployment);
    // Without a policy the target is unknown, so nothing is recorded. The sync reports the deployment again.
    if (!policy || !isSameEnvironment(deployment.environment, policy.deployment.target)) return;
    if (isRunning(deployment)) return this.recordStart(orgId, repositoryId, deployment);
    if (!isDeployedToTarget(deployment, policy.deployment.target)) return;
    const deployed = await this.deploymentDecisions.find(orgId, repositoryId, deployment);
    await this.shipping.shipWithScopeLock(orgId, (tx) => this.classifyAndShip(tx, repositoryId, deployment, deployed));
  }

  /**
   * Marks the deployments of the environment as stale if they lack this success. A read finds one that is not among the newest ones only
   * after it is recorded.
   */
  private async invalidateWithout(
    orgId: OrgId,
    repositoryId: string,
    { githubId, environment, succeededAt }: DeploymentFact,
  ): Promise<void> {
    if (succeededAt === null) return;
    const fact = { kind: 'deployments', key: environment.toLowerCase() } as const;
    const [known] = await this.database.inTenant(orgId, (tx) => this.observations.list(tx, repositoryId, [fact]));
    if (!known || (known as Observation<'deployments'>).value.some((one) => one.githubId === githubId)) return;
    await this.refresh.invalidateFacts(orgId, repositoryId, [fact], 'deployment');
  }

  /** Stores whether the gate was open when the deployment began, so that what it deploys counts as approved while it runs. */
  private async recordStart(orgId: OrgId, repositoryId: string, deployment: DeploymentFact): Promise<void> {
    const deployed = await this.deploymentDecisions.find(orgId, repositoryId, deployment);
    await this.database.inTenant(orgId, async (tx) => {
      const decision = deployed?.decision?.open === true && !deployed.release.shippedAt ? deployed.decision : null;
      const began = new Date(deployment.beganAt);
      const isHeld =
        deployed?.isApproval !== true && (await this.deploymentDecisions.wasHeldByFreeze(tx, began, decision));
      await this.deployments.recordOpenDecision(tx, repositoryId, deployment, isHeld ? null : (decision?.id ?? null));
      await this.announce(tx, repositoryId, deployment);
    });
  }

  /** Announces the deployment if it may change which running artifacts are approved. */
  private async announce(tx: TenantTransaction, repositoryId: string, { environment }: DeploymentFact): Promise<void> {
    if (await this.running.isStated(tx, repositoryId, environment))
      await this.events.append(tx, { type: 'deployment.updated', repositoryId });
  }

  /** If the deployment was reported, too, it is governed only if the report alone would be. */
  private async classifyAndShip(
    tx: TenantTransaction,
    repositoryId: string,
    deployment: DeploymentFact,
    deployed: MatchedRelease | null,
  ): Promise<void> {
    if (deployment.succeededAt === null) return;
    await this.reports.lock(tx, repositoryId);
    const linked = withoutFailed(
      await this.reports.listLinked(tx, repositoryId, deployment),
      ({ end, reportedId }) => end !== null && end.status !== 'succeeded' && reportedId !== String(deployment.githubId),
    );
    const wasOpen = linked.every(({ start }) => shippingDecision(start) !== null);
    await this.classification.classifyAndShip(
      tx,
      repositoryId,
      {
        sha: deployment.sha,
        environment: deployment.environment,
        began: new Date(deployment.beganAt),
        deployedAt: new Date(deployment.succeededAt),
        deployedBy: deployment.creator,
        actor: deployment.creator ?? 'unknown',
        source: { deploymentGithubId: deployment.githubId, reportedDeploymentId: linked[0]?.id ?? null },
        isProven: linked.every((report) => isStartProven(report, this.clock.now())),
      },
      deployed && (wasOpen ? deployed : { release: deployed.release, decision: null }),
    );
  }

  /** Enqueues the reported deployments to the target that could not be recorded when they were reported. */
  private async enqueueReported(tx: TenantTransaction, repositoryId: string): Promise<void> {
    const environment = (await this.observations.find(tx, repositoryId))?.deployment.target;
    if (environment === undefined) return;
    const since = new Date(this.clock.now().getTime() - RECORDED_WITHIN_MS);
    for (const deploymentId of await this.reports.listUnsettled(tx, { repositoryId, environment }, since))
      await this.jobs.enqueue(tx, 'record-reported-deployment', { orgId: tx.orgId, repositoryId, deploymentId });
  }

  private async listUnsettled(orgId: OrgId, repositoryId: string): Promise<readonly number[]> {
    const { repository, target } = await this.database.inTenant(orgId, async (tx) => ({
      repository: await this.repos.find(tx, repositoryId),
      target: (await this.observations.find(tx, repositoryId))?.deployment.target,
    }));
    if (!repository?.ref || target === undefined) return [];
    const { value: recent } = await this.github.deployments.listRecent(repository.ref, target);
    const reached = recent.filter((deployment) => isDeployedToTarget(deployment, target));
    return this.database.inTenant(orgId, (tx) => this.deployments.listUnsettled(tx, repositoryId, reached));
  }
}
