import { Injectable } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import type { TenantTx } from '../../database/database.js';
import { deploymentKind } from '../../domain/history/deployment-kind.js';
import type { DeploymentFact } from '../../domain/release/facts.js';
import { freezeConditions } from '../../domain/release/freeze-conditions.js';
import { KnownPolicyReader } from '../observations/known-policy.reader.js';
import { AdminActsReader } from '../overrides/admin-acts.reader.js';
import { Shipping } from '../releases/shipping.service.js';
import type { DecidedRelease } from './deployed-release.reader.js';
import { DeploymentsRepository, type EarlierDecision } from './deployments.repository.js';

/** Draws the consequences of a deployment that reached the target. */
@Injectable()
export class DeploymentSettlement {
  constructor(
    private readonly deployments: DeploymentsRepository,
    private readonly policies: KnownPolicyReader,
    private readonly acts: AdminActsReader,
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
    const standing = await this.deployments.listDeployable(tx, repositoryId);
    if (await this.deployments.isRecorded(tx, repositoryId, deployment.githubId)) return;
    const release = standing.find(({ id }) => id === deployed?.release.id) ?? null;
    const decision = deployed?.decision ?? null;
    const began = new Date(deployment.createdAt);
    const frozen = await this.wasFrozen(tx, repositoryId, began, decision);
    const superseded = release !== null && (await this.deployments.wasSuperseded(tx, release.id, began));
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
        deployment,
        approvers: verdict?.approval?.approvers ?? [],
        decisionId: ships ? (decision?.id ?? null) : null,
        overrides: ships ? (decision?.overrides ?? []) : [],
        leadTimeSeconds: ships && release ? secondsBetween(release.startedAt, deployment.succeededAt) : null,
      },
      this.clock.now(),
    );
  }

  /** Whether a freeze held that nobody had set aside for this release. Without a policy nobody knows. */
  private async wasFrozen(
    tx: TenantTx,
    repositoryId: string,
    began: Date,
    decision: EarlierDecision | null,
  ): Promise<boolean> {
    const policy = await this.policies.find(tx, repositoryId);
    if (!policy) return true;
    const setAside = new Set(decision?.overrides.flatMap(({ conditions }) => conditions.map(({ detail }) => detail)));
    const freezes = [...policy.freezes, ...(await this.acts.listFreezesAt(tx, began))];
    return freezeConditions(freezes, began).some(({ detail }) => !setAside.has(detail));
  }
}

const deployerOf = ({ creator }: DeploymentFact): string => creator ?? 'unknown';

const secondsBetween = (from: Date, to: string | null): number | null =>
  to === null ? null : Math.max(0, Math.round((Date.parse(to) - from.getTime()) / 1000));
