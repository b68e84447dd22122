import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import type { TenantTransaction } from '../../../database/database.js';
import type { Sha } from '../../../domain/facts/facts.js';
import { leadTimeSeconds } from '../../../domain/history/deployment.js';
import { provenKind } from '../../../domain/history/reported-deployment.js';
import { EventsRepository } from '../../../events/events.repository.js';
import { ShippingService } from '../../releases/shipping/shipping.service.js';
import { DeploymentDecisionsService, type MatchedRelease } from './deployment-decisions.service.js';
import { DeploymentsRepository, type HistorySource } from './deployments.repository.js';

/** A deployment to the target that succeeded. */
export interface FinishedDeployment {
  readonly sha: Sha;
  readonly environment: string;
  readonly began: Date;
  readonly deployedAt: Date;
  /** The login of the user who deployed; null if there is none. */
  readonly deployedBy: string | null;
  /** The cause of the change of stage, for the log of the stages. */
  readonly actor: string;
  readonly source: Exclude<HistorySource, { readonly recordedBy: number }>;
  /** False if the deployment cannot be governed, for example because its start was not reported. */
  readonly isProven: boolean;
}

/** Classifies deployments to the target, and ships their releases. */
@Injectable()
export class DeploymentClassificationService {
  constructor(
    private readonly deployments: DeploymentsRepository,
    private readonly deploymentDecisions: DeploymentDecisionsService,
    private readonly shipping: ShippingService,
    private readonly events: EventsRepository,
    private readonly clock: Clock,
  ) {}

  /** Classifies the deployment, ships its release if it has one, and adds it to the history once. */
  async classifyAndShip(
    tx: TenantTransaction,
    repositoryId: string,
    deployment: FinishedDeployment,
    deployed: MatchedRelease | null,
  ): Promise<void> {
    const { sha, began, deployedAt } = deployment;
    const deployable = await this.deployments.listDeployable(tx, repositoryId);
    if (await this.deployments.isRecorded(tx, repositoryId, deployment.source)) return;
    const release = deployable.find(({ id }) => id === deployed?.release.id) ?? null;
    const decision = deployed?.decision ?? null;
    const frozen =
      deployed?.isApproval !== true && (await this.deploymentDecisions.wasHeldByFreeze(tx, began, decision));
    const superseded = release !== null && (await this.deployments.wasSuperseded(tx, repositoryId, release.id, began));
    const kind = provenKind(release && { ...release, superseded, decision, frozen }, deployment.isProven);
    if (kind === 'again') return;
    const ships = kind === 'release' || kind === 'hotfix';
    const shipment = release && { releaseId: release.id, deployedSha: sha, actor: deployment.actor };
    const verdict = ships && shipment && decision ? await this.shipping.ship(tx, shipment, decision.id) : null;
    if (ships && !verdict) throw new Error(`The deployment of ${sha} ships a release that changed meanwhile.`);
    const added = await this.deployments.addToHistory(
      tx,
      {
        repositoryId,
        releaseId: release?.id ?? null,
        version: release?.version ?? null,
        kind,
        commitSha: sha,
        environment: deployment.environment,
        deployedAt,
        deployedBy: deployment.deployedBy,
        approvers: verdict?.approval?.approvers ?? [],
        decisionId: ships ? (decision?.id ?? null) : null,
        overrides: ships ? (decision?.overrides ?? []) : [],
        leadTimeSeconds: ships && release ? leadTimeSeconds(release.startedAt, deployedAt) : null,
        source: deployment.source,
      },
      this.clock.now(),
    );
    if (added === null) return;
    await this.events.append(tx, {
      type: 'release.updated',
      repositoryId,
      ...(release && { milestoneId: release.id }),
    });
  }
}
