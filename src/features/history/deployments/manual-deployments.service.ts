import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Member } from '../../../auth/caller.js';
import { Clock } from '../../../config/clock.js';
import { Database, type TenantTransaction } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import type { Sha } from '../../../domain/facts/facts.js';
import { deploymentKind, isSameEnvironment, leadTimeSeconds, type Moment } from '../../../domain/history/deployment.js';
import type { Verdict } from '../../../domain/release/evaluate.js';
import { EventsRepository } from '../../../events/events.repository.js';
import { releaseNotFound } from '../../../http/errors/domain-error.js';
import { RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { MembersRepository } from '../../accounts/members/members.repository.js';
import { AuditRepository } from '../../audit/audit.repository.js';
import {
  type SavedEvaluation,
  ReleaseEvaluationService,
} from '../../releases/evaluation/release-evaluation.service.js';
import { ReleaseRefreshService } from '../../releases/evaluation/release-refresh.service.js';
import { ObservationsRepository } from '../../releases/facts/observations.repository.js';
import { ShippingService } from '../../releases/shipping/shipping.service.js';
import { type HistoryItem, HistoryQueries } from '../history.queries.js';
import { FreezesAtDeployment } from './deployment-decisions.service.js';
import {
  candidateWasDifferent,
  gateWasClosed,
  freezeWasActive,
  gateClosed,
  hostSilent,
  deployedAtInFuture,
  wrongEnvironment,
  releaseAlreadyShipped,
  deploymentReportedByGitHub,
} from './deployments.errors.js';
import { type DeployableRelease, DeploymentsRepository, type EarlierDecision } from './deployments.repository.js';

/** A deployment of a release's candidate, as a person tells of it. */
export interface ManualDeploymentInput {
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

/** A time that is told in whole seconds may be any moment of its second, as one of the host; none of them is to come. */
function toldMoment(told: Date | null, now: Date): Moment {
  const at = told ?? now;
  const span = told?.getMilliseconds() === 0 ? 1000 : 1;
  return { earliest: at, latest: new Date(Math.min(at.getTime() + span, now.getTime() + 1)) };
}

/** The candidate that the gate is open for at this moment. */
function requireOpen({ release, verdict }: SavedEvaluation, { isUpToDate }: ManualDeploymentInput, now: Date): Sha {
  if (release.record.shipped) throw releaseAlreadyShipped();
  const { candidateSha, gate } = verdict;
  if (isOpen(gate, now) && candidateSha !== null) return candidateSha;
  if (!isUpToDate && gate.reasons.every(({ code }) => NOT_READ.has(code))) throw hostSilent();
  throw gateClosed(release.record.version, gate.reasons);
}

const isOpen = ({ openUntil }: Verdict['gate'], now: Date): boolean => openUntil !== null && openUntil > now.getTime();

/** How long an admin waits for the code host, in milliseconds: as long as the deploy gate does. */
const DEADLINE_MS = 3_000;

/** A deployment that an admin tells of; what is null is now, and the target. */
export interface ManualDeployment {
  readonly milestoneId: string;
  readonly deployedAt: Date | null;
  readonly environment: string | null;
  readonly note: string | null;
}

/** Records deployments that no webhook told of, by the word of an admin. Ships releases by the word of a person, where the code host does not tell of their deployment. */
@Injectable()
export class ManualDeploymentsService {
  constructor(
    private readonly database: Database,
    private readonly repos: RepositoriesRepository,
    private readonly refresh: ReleaseRefreshService,
    private readonly office: MembersRepository,
    private readonly shipping: ShippingService,
    private readonly records: HistoryQueries,
    private readonly events: EventsRepository,
    private readonly audit: AuditRepository,
    private readonly clock: Clock,
    private readonly deployments: DeploymentsRepository,
    private readonly evaluations: ReleaseEvaluationService,
    private readonly policies: ObservationsRepository,
    private readonly freezes: FreezesAtDeployment,
  ) {}

  /**
   * Ships the release, and answers its record. Throws `invalid` for a moment that is to come, `not_found` for what the admin
   * may not read, and what `ManualDeploymentsService` throws where the gate is not open.
   */
  async record({ orgId, viewer, person }: Member, word: ManualDeployment): Promise<HistoryItem> {
    const { milestoneId, deployedAt, environment } = word;
    const note = word.note?.trim() ?? null;
    if (deployedAt !== null && !(deployedAt <= this.clock.now())) throw deployedAtInFuture();
    const repository = await this.database.asViewer(viewer, (tx) => this.repos.findByRelease(tx, milestoneId));
    if (!repository) throw releaseNotFound();
    const repositoryId = repository.id;
    const isUpToDate = await this.bringUpToDate(orgId, milestoneId);
    const by = { id: person.id, login: person.login };
    return this.shipping.shipWithScopeLock(orgId, async (tx) => {
      await this.office.lockAdmin(tx, person.id);
      const told = { repositoryId, releaseId: milestoneId, deployedAt, environment, note, by, isUpToDate };
      const recorded = await this.recordInTransaction(tx, told);
      await this.events.append(tx, { type: 'release.updated', repositoryId, milestoneId });
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
    const read = this.refresh.refreshShared(orgId, releaseId, { cause: 'history', actor: 'service' });
    const answered = read.then(
      ({ failures }) => failures.every(({ isTransient }) => !isTransient),
      () => false,
    );
    return Promise.race([answered, sleep(DEADLINE_MS, false, { ref: false })]);
  }

  /**
   * Ships the release and records it, once. Throws `conflict` unless its gate is open at this moment, and was for the same
   * candidate at the moment of the deployment; `unprocessable` for another environment than the target.
   */
  async recordInTransaction(tx: TenantTransaction, told: ManualDeploymentInput): Promise<RecordedDeployment> {
    const { repositoryId, releaseId, by } = told;
    // All of them, and before one is held alone: whoever settles a deployment takes them in this order.
    await this.deployments.lockDeployable(tx, repositoryId);
    const evaluation = await this.evaluations.evaluateAndSave(tx, releaseId, { cause: 'history', actor: 'service' });
    if (!evaluation) throw releaseNotFound();
    const now = this.clock.now();
    const candidateSha = requireOpen(evaluation, told, now);
    const environment = await this.requireTarget(tx, told, evaluation);
    const deployedAt = told.deployedAt ?? now;
    const { release, decision } = await this.findThen(tx, told, toldMoment(told.deployedAt, now));
    // Of now the gate itself has told.
    if (told.deployedAt !== null) await this.requireNoFreeze(tx, deployedAt, decision);
    if (!decision?.open) throw gateWasClosed();
    if (decision.candidateSha !== candidateSha) throw candidateWasDifferent(candidateSha);
    if (told.deployedAt !== null) await this.requireUntold(tx, repositoryId, decision, { environment, deployedAt });
    const kind = deploymentKind({ ...release, superseded: false, decision, frozen: false });
    if (kind !== 'release' && kind !== 'hotfix') throw gateWasClosed();
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
    tx: TenantTransaction,
    { repositoryId, releaseId }: ManualDeploymentInput,
    moment: Moment,
  ): Promise<{ readonly release: DeployableRelease; readonly decision: EarlierDecision | null }> {
    const releases = await this.deployments.listDeployable(tx, repositoryId);
    const release = releases.find(({ id }) => id === releaseId);
    if (!release) throw gateWasClosed();
    return { release, decision: await this.deployments.decisionAt(tx, releaseId, moment) };
  }

  /** Throws `conflict` where a freeze held then. */
  private async requireNoFreeze(tx: TenantTransaction, at: Date, decision: EarlierDecision | null): Promise<void> {
    if (await this.freezes.held(tx, at, decision)) throw freezeWasActive();
  }

  /** Throws `conflict` where the host told of the deployment, and so of what it was. */
  private async requireUntold(
    tx: TenantTransaction,
    repositoryId: string,
    decision: EarlierDecision,
    { environment, deployedAt }: { readonly environment: string; readonly deployedAt: Date },
  ): Promise<void> {
    const deployment = { shas: decision.candidateShas, environment, at: deployedAt };
    if (await this.deployments.wasReportedByGitHub(tx, repositoryId, deployment)) throw deploymentReportedByGitHub();
  }

  private async requireTarget(
    tx: TenantTransaction,
    { repositoryId, environment }: ManualDeploymentInput,
    { release, verdict }: SavedEvaluation,
  ): Promise<string> {
    const policy = await this.policies.find(tx, repositoryId);
    if (!policy) throw gateClosed(release.record.version, verdict.gate.reasons);
    const { target } = policy.deployment;
    if (environment !== null && !isSameEnvironment(environment, target)) throw wrongEnvironment(target);
    return target;
  }
}
