import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import type { TenantTx } from '../../../database/database.js';
import type { Sha } from '../../../domain/facts/facts.js';
import { deploymentKind, isSameEnvironment } from '../../../domain/history/deployment-kind.js';
import type { Moment } from '../../../domain/history/gate-timeline.js';
import { leadTimeSeconds } from '../../../domain/history/lead-time.js';
import type { Verdict } from '../../../domain/release/evaluate.js';
import { noSuchRelease } from '../../../http/errors/release-refusal.js';
import { type Evaluation, ReleaseEvaluation } from '../../releases/evaluation/release-evaluation.service.js';
import { KnownPolicyReader } from '../../releases/facts/known-policy.reader.js';
import { Shipping } from '../../releases/shipping/shipping.service.js';
import { type DeployableRelease, DeploymentsRepository, type EarlierDecision } from './deployments.repository.js';
import { FreezesAtDeployment } from './freezes-at-deployment.reader.js';
import {
  anotherCandidateThen,
  closedThen,
  frozenThen,
  gateClosed,
  hostSilent,
  notTheTarget,
  shippedAlready,
  toldAlready,
} from './recording-refusal.js';

/** A deployment of a release's candidate, as a person tells of it. */
export interface ToldDeployment {
  readonly repositoryId: string;
  readonly releaseId: string;
  /** When it was; null is now. */
  readonly deployedAt: Date | null;
  /** Null is what the policy calls the target. */
  readonly environment: string | null;
  readonly note: string | null;
  readonly by: { readonly id: number; readonly login: string };
  /** False where the code host did not tell how the release stands now. */
  readonly isUpToDate: boolean;
}

/** The record that was made of it. */
export interface RecordedDeployment {
  readonly id: string;
  readonly version: string;
  readonly candidateSha: Sha;
  readonly environment: string;
  readonly deployedAt: Date;
}

/** What closes a gate only because nobody could read it. */
const NOT_READ: ReadonlySet<string> = new Set(['facts_stale', 'unknown']);

/** Ships releases by the word of a person, where the code host does not tell of their deployment. */
@Injectable()
export class RecordedDeployments {
  constructor(
    private readonly deployments: DeploymentsRepository,
    private readonly evaluations: ReleaseEvaluation,
    private readonly policies: KnownPolicyReader,
    private readonly freezes: FreezesAtDeployment,
    private readonly shipping: Shipping,
    private readonly clock: Clock,
  ) {}

  /**
   * Ships the release and records it, once. Throws `conflict` unless its gate is open at this moment, and was for the same
   * candidate at the moment of the deployment; `unprocessable` for another environment than the target.
   */
  async record(tx: TenantTx, told: ToldDeployment): Promise<RecordedDeployment> {
    const { repositoryId, releaseId, by } = told;
    // All of them, and before one is held alone: whoever settles a deployment takes them in this order.
    await this.deployments.lockDeployable(tx, repositoryId);
    const evaluation = await this.evaluations.reevaluate(tx, releaseId, { cause: 'history', actor: 'service' });
    if (!evaluation) throw noSuchRelease();
    const now = this.clock.now();
    const candidateSha = requireOpen(evaluation, told, now);
    const environment = await this.requireTarget(tx, told, evaluation);
    const deployedAt = told.deployedAt ?? now;
    const { release, decision } = await this.findThen(tx, told, toldMoment(told.deployedAt, now));
    // Of now the gate itself has told.
    if (told.deployedAt !== null) await this.requireNoFreeze(tx, deployedAt, decision);
    if (!decision?.open) throw closedThen();
    if (decision.candidateSha !== candidateSha) throw anotherCandidateThen(candidateSha);
    if (told.deployedAt !== null) await this.requireUntold(tx, repositoryId, decision, { environment, deployedAt });
    const kind = deploymentKind({ ...release, superseded: false, decision, frozen: false });
    if (kind !== 'release' && kind !== 'hotfix') throw closedThen();
    const shipment = { releaseId, deployedSha: candidateSha, actor: by.login };
    const verdict = await this.shipping.ship(tx, shipment, decision.id);
    if (!verdict) throw new Error(`Release ${releaseId} changed while it was held.`);
    const { version } = release;
    const id = await this.deployments.addToHistory(
      tx,
      {
        repositoryId,
        releaseId,
        version,
        kind,
        commitSha: candidateSha,
        environment,
        deployedAt,
        deployedBy: by.login,
        approvers: verdict.approval?.approvers ?? [],
        decisionId: decision.id,
        overrides: decision.overrides,
        leadTimeSeconds: leadTimeSeconds(release.startedAt, deployedAt),
        source: { recordedBy: by.id, note: told.note },
      },
      now,
    );
    if (id === null) throw new Error('A record without a deployment of the code host conflicts with none.');
    return { id, version, candidateSha, environment, deployedAt };
  }

  /** The release, and what was decided of it at that moment. */
  private async findThen(
    tx: TenantTx,
    { repositoryId, releaseId }: ToldDeployment,
    moment: Moment,
  ): Promise<{ readonly release: DeployableRelease; readonly decision: EarlierDecision | null }> {
    const releases = await this.deployments.listDeployable(tx, repositoryId);
    const release = releases.find(({ id }) => id === releaseId);
    if (!release) throw closedThen();
    return { release, decision: await this.deployments.decisionAt(tx, releaseId, moment) };
  }

  /** Throws `conflict` where a freeze held then. */
  private async requireNoFreeze(tx: TenantTx, at: Date, decision: EarlierDecision | null): Promise<void> {
    if (await this.freezes.held(tx, at, decision)) throw frozenThen();
  }

  /** Throws `conflict` where the host told of the deployment, and so of what it was. */
  private async requireUntold(
    tx: TenantTx,
    repositoryId: string,
    decision: EarlierDecision,
    { environment, deployedAt }: { readonly environment: string; readonly deployedAt: Date },
  ): Promise<void> {
    const deployment = { shas: decision.candidateShas, environment, at: deployedAt };
    if (await this.deployments.wasToldOf(tx, repositoryId, deployment)) throw toldAlready();
  }

  private async requireTarget(
    tx: TenantTx,
    { repositoryId, environment }: ToldDeployment,
    { release, verdict }: Evaluation,
  ): Promise<string> {
    const policy = await this.policies.find(tx, repositoryId);
    if (!policy) throw gateClosed(release.record.version, verdict.gate.reasons);
    const { target } = policy.deployment;
    if (environment !== null && !isSameEnvironment(environment, target)) throw notTheTarget(target);
    return target;
  }
}

/** A time that is told in whole seconds may be any moment of its second, as one of the host; none of them is to come. */
function toldMoment(told: Date | null, now: Date): Moment {
  const at = told ?? now;
  const span = told?.getMilliseconds() === 0 ? 1000 : 1;
  return { earliest: at, latest: new Date(Math.min(at.getTime() + span, now.getTime() + 1)) };
}

/** The candidate that the gate is open for at this moment. */
function requireOpen({ release, verdict }: Evaluation, { isUpToDate }: ToldDeployment, now: Date): Sha {
  if (release.record.shipped) throw shippedAlready();
  const { candidateSha, gate } = verdict;
  if (isOpen(gate, now) && candidateSha !== null) return candidateSha;
  if (!isUpToDate && gate.reasons.every(({ code }) => NOT_READ.has(code))) throw hostSilent();
  throw gateClosed(release.record.version, gate.reasons);
}

const isOpen = ({ openUntil }: Verdict['gate'], now: Date): boolean => openUntil !== null && openUntil > now.getTime();
