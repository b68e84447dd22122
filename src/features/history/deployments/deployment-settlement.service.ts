import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import type { TenantTx } from '../../../database/database.js';
import type { DeploymentFact } from '../../../domain/facts/facts.js';
import { deploymentKind } from '../../../domain/history/deployment-kind.js';
import { leadTimeSeconds } from '../../../domain/history/lead-time.js';
import { Shipping } from '../../releases/shipping/shipping.service.js';
import type { DecidedRelease } from './deployed-release.reader.js';
import { DeploymentsRepository } from './deployments.repository.js';
import { FreezesAtDeployment } from './freezes-at-deployment.reader.js';

/** Draws the consequences of a deployment that reached the target. */
@Injectable()
export class DeploymentSettlement {
  constructor(
    private readonly deployments: DeploymentsRepository,
    private readonly freezes: FreezesAtDeployment,
    private readonly shipping: Shipping,
    private readonly clock: Clock,
  ) {}

  /** Ships the release that the deployment shipped, if it did, and records what it was, once. */
  async settle(
    tx: TenantTx,
    repositoryId: string,
    deployment: DeploymentFact,
    deployed: DecidedRelease | null,
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

const deployerOf = ({ creator }: DeploymentFact): string => creator ?? 'unknown';
