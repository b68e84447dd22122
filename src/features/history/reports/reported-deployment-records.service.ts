import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database, type TenantTransaction } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import type { DeploymentFact } from '../../../domain/facts/facts.js';
import {
  countingStart,
  isOpen,
  endOfWait,
  shippingDecision,
  withoutFailed,
} from '../../../domain/history/reported-deployment.js';
import { isSameEnvironment } from '../../../domain/policy/policy.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { JobHandler } from '../../../jobs/job-handlers.js';
import type { JobPayload } from '../../../jobs/job.js';
import { JobsService } from '../../../jobs/jobs.service.js';
import { type Repository, RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { ObservationsRepository } from '../../releases/facts/observations.repository.js';
import { ScopeChangeInProgressError, ShippingService } from '../../releases/shipping/shipping.service.js';
import { DeploymentClassificationService } from '../deployments/deployment-classification.service.js';
import {
  DeploymentDecisionsService,
  FactsUnderChange,
  type MatchedRelease,
} from '../deployments/deployment-decisions.service.js';
import { DeploymentsRepository } from '../deployments/deployments.repository.js';
import {
  type ReportedDeployment,
  ReportedDeploymentsRepository,
  type Reporter,
} from '../deployments/reported-deployments.repository.js';
import { DeploymentReportLogService } from './deployment-report-log.service.js';

/** The same deployment at GitHub, with the release that it would ship alone. */
interface GitHubSide {
  readonly deployment: DeploymentFact;
  readonly deployed: MatchedRelease | null;
}

/** An id of GitHub is a whole number without leading zeros. */
const GITHUB_ID = /^[1-9]\d{0,15}$/;

/** Adds reported deployments that succeeded to the history, and ships their releases. */
@Injectable()
export class ReportedDeploymentRecordsService {
  private readonly logger = new Logger(ReportedDeploymentRecordsService.name);

  constructor(
    private readonly database: Database,
    private readonly reports: ReportedDeploymentsRepository,
    private readonly deployments: DeploymentsRepository,
    private readonly deploymentDecisions: DeploymentDecisionsService,
    private readonly classification: DeploymentClassificationService,
    private readonly observations: ObservationsRepository,
    private readonly repos: RepositoriesRepository,
    private readonly shipping: ShippingService,
    private readonly github: GitHubGateway,
    private readonly log: DeploymentReportLogService,
    private readonly jobs: JobsService,
    private readonly clock: Clock,
  ) {}

  /** Records the deployment once, however often it runs. */
  @JobHandler('record-reported-deployment')
  async record(payload: JobPayload<'record-reported-deployment'>): Promise<void> {
    const { orgId, repositoryId, deploymentId } = payload;
    try {
      await this.recordNow(orgId, repositoryId, deploymentId);
    } catch (error) {
      if (!(error instanceof ScopeChangeInProgressError || error instanceof FactsUnderChange)) throw error;
      const { retryAfterSeconds: delaySeconds } = error;
      await this.database.inTenant(orgId, (tx) =>
        this.jobs.enqueue(tx, 'record-reported-deployment', payload, { delaySeconds }),
      );
    }
  }

  /** Records the deployment now if that is possible. The job of the report repeats it. */
  async tryRecord(orgId: OrgId, repositoryId: string, deploymentId: string): Promise<void> {
    try {
      await this.recordNow(orgId, repositoryId, deploymentId);
    } catch (error) {
      this.logger.warn(`A reported deployment is recorded later: ${String(error)}`);
    }
  }

  /** Ends the deployment if its end was not reported in time. */
  @JobHandler('end-reported-deployment')
  async endAsUnknown(payload: JobPayload<'end-reported-deployment'>): Promise<void> {
    const { orgId, repositoryId, deploymentId } = payload;
    await this.database.inTenant(orgId, async (tx) => {
      await this.reports.lock(tx, repositoryId);
      const deployment = await this.reports.find(tx, deploymentId);
      if (!deployment || deployment.end || deployment.lostAt) return;
      const now = this.clock.earliestNow();
      const end = endOfWait(deployment);
      if (!end) return;
      if (!isOpen(deployment, now)) return this.log.endAsUnknown(tx, deployment, now);
      // The database decides when a job is due, and its clock may be ahead.
      const delaySeconds = Math.max(1, (end.getTime() - now.getTime()) / 1000);
      return this.jobs.enqueue(tx, 'end-reported-deployment', payload, { delaySeconds });
    });
  }

  private async recordNow(orgId: OrgId, repositoryId: string, deploymentId: string): Promise<void> {
    const { repository, deployment, policy } = await this.database.inTenant(orgId, async (tx) => ({
      repository: await this.repos.find(tx, repositoryId),
      deployment: await this.reports.find(tx, deploymentId),
      policy: await this.observations.find(tx, repositoryId),
    }));
    if (!repository || deployment?.end?.status !== 'succeeded') return;
    // Without a policy the target is unknown, so nothing is recorded. The sync tries again.
    if (!policy || !isSameEnvironment(deployment.environment, policy.deployment.target)) return;
    const sides = await this.findAtGitHub(orgId, repository, deployment);
    await this.shipping.shipWithScopeLock(orgId, async (tx) => {
      await this.reports.lock(tx, repositoryId);
      await this.classify(tx, deployment, sides);
    });
  }

  /** Finds the same deployment at GitHub: with the id that was reported, or by the same run. */
  private async findAtGitHub(
    orgId: OrgId,
    { id: repositoryId, ref }: Repository,
    deployment: ReportedDeployment,
  ): Promise<readonly GitHubSide[]> {
    const { commitSha: sha, environment, reportedId, runId } = deployment;
    if (!ref) return [];
    const stored = await this.database.inTenant(orgId, (tx) =>
      this.reports.listGitHubIds(tx, repositoryId, deployment),
    );
    const ids = new Set(GITHUB_ID.test(reportedId) ? [Number(reportedId), ...stored] : stored);
    const isSame = (one: DeploymentFact): boolean =>
      one.sha === sha &&
      isSameEnvironment(one.environment, environment) &&
      (String(one.githubId) === reportedId || (runId !== null && one.runId === runId));
    const same: DeploymentFact[] = [];
    for (const id of ids) {
      const { value } = await this.github.deployments.find(ref, id);
      if (value && isSame(value)) same.push(value);
    }
    // Its delivery may be late. The reported id may be that of another deployment, also by chance.
    if (same.every(hasFailed) && runId !== null) {
      const ofCommit = await this.github.deployments.listOfCommit(ref, { environment, sha });
      same.push(...ofCommit.filter((one) => isSame(one) && !ids.has(one.githubId)));
    }
    const sides: GitHubSide[] = [];
    for (const one of withoutFailed(same, (other) => hasFailed(other) && String(other.githubId) !== reportedId)) {
      sides.push({ deployment: one, deployed: await this.deploymentDecisions.find(orgId, repositoryId, one) });
    }
    return sides;
  }

  private async classify(
    tx: TenantTransaction,
    deployment: ReportedDeployment,
    sides: readonly GitHubSide[],
  ): Promise<void> {
    const { id, repositoryId, commitSha: sha, environment, end } = deployment;
    if (!end) return;
    const start = countingStart(deployment);
    const isGoverned = await this.areGoverned(tx, sides);
    const [linked] = sides;
    await this.classification.classifyAndShip(
      tx,
      repositoryId,
      {
        sha,
        environment,
        began: start?.at ?? end.at,
        deployedAt: end.at,
        deployedBy: null,
        actor: toActor(deployment.startedBy ?? deployment.endedBy),
        source: { deploymentGithubId: linked?.deployment.githubId ?? null, reportedDeploymentId: id },
        isProven: start !== null && isGoverned,
      },
      await this.findRelease(tx, deployment, isGoverned),
    );
  }

  /** Whether each of these deployments would be governed alone. */
  private async areGoverned(tx: TenantTransaction, sides: readonly GitHubSide[]): Promise<boolean> {
    for (const { deployment, deployed } of sides) {
      if (hasFailed(deployment) || !deployed) return false;
      const { release, decision, isApproval } = deployed;
      if (release.shippedAt) continue;
      const began = new Date(deployment.beganAt);
      const isFrozen = isApproval !== true && (await this.deploymentDecisions.wasHeldByFreeze(tx, began, decision));
      if (decision?.open !== true || isFrozen) return false;
    }
    return true;
  }

  /** Finds the release that the start may ship, else the release that has shipped the commit, else the one whose candidate it is. */
  private async findRelease(
    tx: TenantTransaction,
    deployment: ReportedDeployment,
    isGoverned: boolean,
  ): Promise<MatchedRelease | null> {
    const { repositoryId, commitSha } = deployment;
    const releases = await this.deployments.listDeployable(tx, repositoryId);
    const shipping = isGoverned ? shippingDecision(countingStart(deployment)) : null;
    const shipped = releases.find((one) => one.shippedAt !== null && one.candidateShas.includes(commitSha));
    const started = releases.find((one) => one.id === shipping?.releaseId && one.shippedAt === null);
    if (shipping && started) {
      const decision = await this.reports.getOpenDecision(tx, shipping.decisionId);
      return { release: started, decision, isApproval: true };
    }
    const other = releases.find(
      (one) => one.shippedAt === null && (one.candidateShas.includes(commitSha) || one.id === deployment.releaseId),
    );
    const release = shipped ?? other;
    return release ? { release, decision: null } : null;
  }
}

const hasFailed = ({ state }: DeploymentFact): boolean => state === 'failure';

const toActor = (by: Reporter | null): string => {
  if (by === null) return 'service';
  return by.kind === 'api_key' ? `key ${by.keyId}` : `run ${by.runId}`;
};
