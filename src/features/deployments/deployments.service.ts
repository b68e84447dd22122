import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { OrgId } from '../../database/ids.js';
import { Clock } from '../../clock/clock.js';
import { Database, type TenantTx } from '../../database/database.js';
import { deploymentKind, reachedTarget } from '../../domain/history/deployment-kind.js';
import { freezeAt } from '../../domain/policy/freeze.js';
import type { Policy } from '../../domain/policy/policy.js';
import { differsOnlyInEvidence } from '../../domain/release/commit-ancestry.js';
import type { DeploymentFact, Observation, Sha } from '../../domain/release/facts.js';
import { GitHubGateway } from '../../github/github-gateway.js';
import { JobHandlers } from '../../jobs/job-handlers.js';
import { ObservationsReader } from '../observations/observations.reader.js';
import { ReleaseFactReader } from '../releases/release-fact.reader.js';
import { ReleaseRefresh } from '../releases/release-refresh.service.js';
import { Shipping } from '../releases/shipping.service.js';
import { ReposReader } from '../repos/repos.reader.js';
import { DeploymentsRepository, type DeployableRelease, type EarlierDecision } from './deployments.repository.js';

interface DecidedRelease {
  readonly release: DeployableRelease;
  readonly decision: EarlierDecision | null;
}

/** Observes deployments: what they shipped, what they rolled back to, and what went past the service. */
@Injectable()
export class Deployments implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly deployments: DeploymentsRepository,
    private readonly observations: ObservationsReader,
    private readonly repos: ReposReader,
    private readonly facts: ReleaseFactReader,
    private readonly shipping: Shipping,
    private readonly refresh: ReleaseRefresh,
    private readonly github: GitHubGateway,
    private readonly handlers: JobHandlers,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.handlers.register('record-deployment', ({ orgId, repositoryId, deploymentId }) =>
      this.observe(orgId, repositoryId, deploymentId),
    );
  }

  /** Reads a deployment from the host and records what it did, once, however often it is told of. */
  async observe(orgId: OrgId, repositoryId: string, deploymentId: number): Promise<void> {
    const repository = await this.database.inTenant(orgId, (tx) => this.repos.find(tx, repositoryId));
    if (!repository?.ref) return;
    const { value: deployment, observedAt } = await this.github.deployments.find(repository.ref, deploymentId);
    if (!deployment) return;
    const { target, releases } = await this.database.inTenant(orgId, async (tx) => {
      await this.deployments.record(tx, repositoryId, deployment, observedAt);
      const policy = await this.policyOf(tx, repositoryId);
      return { target: policy?.deployment.target, releases: await this.listDecided(tx, repositoryId, deployment) };
    });
    if (target === undefined || !reachedTarget(deployment, target)) return;
    const deployed = await this.releaseOf(orgId, deployment.sha, releases);
    const shipped = await this.database.inTenant(orgId, (tx) => this.settle(tx, repositoryId, deployment, deployed));
    if (!shipped || !deployed) return;
    await this.refresh.refresh(orgId, deployed.release.id, { cause: 'deployment', actor: actorOf(deployment) });
  }

  /** Each release with what was decided of it when the deployment began. */
  private async listDecided(
    tx: TenantTx,
    repositoryId: string,
    { createdAt }: DeploymentFact,
  ): Promise<readonly DecidedRelease[]> {
    const decided: DecidedRelease[] = [];
    for (const release of await this.deployments.listDeployable(tx, repositoryId)) {
      decided.push({ release, decision: await this.deployments.decisionBefore(tx, release.id, new Date(createdAt)) });
    }
    return decided;
  }

  /**
   * Which release the deployed commit was the candidate of when the deployment began, or the same candidate as; what
   * became the candidate since does not matter. Null where it was none's.
   */
  private async releaseOf(orgId: OrgId, sha: Sha, releases: readonly DecidedRelease[]): Promise<DecidedRelease | null> {
    const exact = releases.find(({ release, decision }) =>
      (release.shippedAt ? release : (decision ?? release)).candidateShas.includes(sha),
    );
    if (exact) return exact;
    for (const decided of releases) {
      const candidateSha = decided.decision?.candidateSha;
      if (decided.release.shippedAt || !candidateSha) continue;
      const wanted = { kind: 'comparison', key: `${candidateSha}...${sha}` } as const;
      const comparison = await this.facts.read(orgId, decided.release.id, wanted);
      if (comparison && differsOnlyInEvidence(comparison, candidateSha)) return decided;
    }
    return null;
  }

  /** Records what the deployment was; true where it shipped a release. */
  private async settle(
    tx: TenantTx,
    repositoryId: string,
    deployment: DeploymentFact,
    deployed: DecidedRelease | null,
  ): Promise<boolean> {
    if (await this.deployments.isRecorded(tx, repositoryId, deployment.githubId)) return false;
    const releaseId = deployed?.release.id;
    const release =
      (await this.deployments.listDeployable(tx, repositoryId)).find(({ id }) => id === releaseId) ?? null;
    const decision = deployed?.decision ?? null;
    const policy = await this.policyOf(tx, repositoryId);
    const frozen = !policy || freezeAt(policy.freezes, new Date(deployment.createdAt)) !== null;
    const kind = deploymentKind(release && { ...release, decision, frozen });
    if (kind === 'again') return false;
    const ships = kind === 'release' || kind === 'hotfix';
    const shipment = release && { releaseId: release.id, deployedSha: deployment.sha, actor: actorOf(deployment) };
    const verdict = ships && shipment && decision ? await this.shipping.ship(tx, shipment, decision.id) : null;
    if (ships && !verdict) throw new Error(`Deployment ${deployment.githubId} ships a release that changed meanwhile.`);
    await this.deployments.addToHistory(
      tx,
      {
        repositoryId,
        releaseId: release?.id ?? null,
        version: release?.version ?? null,
        kind,
        deployment,
        approvers: verdict?.approval?.approvers ?? [],
        decisionId: ships ? (decision?.id ?? null) : null,
        leadTimeSeconds: ships && release ? secondsBetween(release.startedAt, deployment.succeededAt) : null,
      },
      this.clock.now(),
    );
    return ships;
  }

  private async policyOf(tx: TenantTx, repositoryId: string): Promise<Policy | null> {
    const [observation] = await this.observations.list(tx, repositoryId, [{ kind: 'policy', key: '' }]);
    const state = (observation as Observation<'policy'> | undefined)?.value;
    return state?.status === 'valid' ? state.policy : null;
  }
}

const actorOf = ({ creator }: DeploymentFact): string => creator ?? 'unknown';

const secondsBetween = (from: Date, to: string | null): number | null =>
  to === null ? null : Math.max(0, Math.round((Date.parse(to) - from.getTime()) / 1000));
