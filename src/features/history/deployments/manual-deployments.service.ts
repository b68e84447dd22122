import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Member } from '../../../auth/caller.js';
import { Clock } from '../../../config/clock.js';
import { Database, type TenantTx } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import type { Sha } from '../../../domain/facts/facts.js';
import { deploymentKind, isSameEnvironment, leadTimeSeconds, type Moment } from '../../../domain/history/deployment.js';
import type { Verdict } from '../../../domain/release/evaluate.js';
import { EventsRecorder } from '../../../events/events.repository.js';
import { noSuchRelease } from '../../../http/errors/domain-error.js';
import { ReposReader } from '../../../workspaces/repositories.repository.js';
import { AdminOffice } from '../../accounts/members/members.repository.js';
import { AuditRecorder } from '../../audit/audit.repository.js';
import { type Evaluation, ReleaseEvaluation } from '../../releases/evaluation/release-evaluation.service.js';
import { ReleaseRefresh } from '../../releases/evaluation/release-refresh.service.js';
import { KnownPolicyReader } from '../../releases/facts/observations.repository.js';
import { Shipping } from '../../releases/shipping/shipping.service.js';
import { type HistoryItem, HistoryRecords } from '../history.queries.js';
import { FreezesAtDeployment } from './deployment-decisions.service.js';
import {
  anotherCandidateThen,
  closedThen,
  frozenThen,
  gateClosed,
  hostSilent,
  inTheFuture,
  notTheTarget,
  shippedAlready,
  toldAlready,
} from './deployments.errors.js';
import { type DeployableRelease, DeploymentsRepository, type EarlierDecision } from './deployments.repository.js';

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

/** How long an admin waits for the code host, in milliseconds: as long as the deploy gate does. */
const DEADLINE_MS = 3_000;

/** A deployment that an admin tells of; what is null is now, and the target. */
export interface DeploymentWord {
  readonly milestoneId: string;
  readonly deployedAt: Date | null;
  readonly environment: string | null;
  readonly note: string | null;
}

/** Records deployments that no webhook told of, by the word of an admin. */
@Injectable()
export class DeploymentRecording {
  constructor(
    private readonly database: Database,
    private readonly repos: ReposReader,
    private readonly refresh: ReleaseRefresh,
    private readonly office: AdminOffice,
    private readonly deployments: RecordedDeployments,
    private readonly shipping: Shipping,
    private readonly records: HistoryRecords,
    private readonly events: EventsRecorder,
    private readonly audit: AuditRecorder,
    private readonly clock: Clock,
  ) {}

  /**
   * Ships the release, and answers its record. Throws `invalid` for a moment that is to come, `not_found` for what the admin
   * may not read, and what `RecordedDeployments` throws where the gate is not open.
   */
  async record({ orgId, viewer, person }: Member, word: DeploymentWord): Promise<HistoryItem> {
    const { milestoneId, deployedAt, environment } = word;
    const note = word.note?.trim() ?? null;
    if (deployedAt !== null && !(deployedAt <= this.clock.now())) throw inTheFuture();
    const repository = await this.database.asViewer(viewer, (tx) => this.repos.findByRelease(tx, milestoneId));
    if (!repository) throw noSuchRelease();
    const repositoryId = repository.id;
    const isUpToDate = await this.bringUpToDate(orgId, milestoneId);
    const by = { id: person.id, login: person.login };
    return this.shipping.insist(orgId, async (tx) => {
      await this.office.hold(tx, person.id);
      const told = { repositoryId, releaseId: milestoneId, deployedAt, environment, note, by, isUpToDate };
      const recorded = await this.deployments.record(tx, told);
      await this.events.emit(tx, { type: 'release.updated', repositoryId, milestoneId });
      await this.audit.append(tx, {
        actor: { type: 'person', ...by },
        action: 'deployment.recorded',
        subject: recorded.version,
        data: { milestoneId, repositoryId, ...recorded, deployedAt: recorded.deployedAt.toISOString(), note },
        repositoryIds: [repositoryId],
      });
      const [item] = await this.records.list(tx, [recorded.id]);
      if (!item) throw new Error(`The record ${recorded.id} is not there.`);
      return item;
    });
  }

  /** Reads what is too old of the release. False where the code host did not tell all of it in time. */
  private async bringUpToDate(orgId: OrgId, releaseId: string): Promise<boolean> {
    const read = this.refresh.refreshTogether(orgId, releaseId, { cause: 'history', actor: 'service' });
    const answered = read.then(
      ({ failures }) => failures.every(({ isPassing }) => !isPassing),
      () => false,
    );
    return Promise.race([answered, sleep(DEADLINE_MS, false, { ref: false })]);
  }
}
