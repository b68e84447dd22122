import { Injectable } from '@nestjs/common';
import pTimeout from 'p-timeout';
import type { Member } from '../../../auth/caller.js';
import { Clock } from '../../../config/clock.js';
import { Database, type TenantTransaction } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import type { Sha } from '../../../domain/facts/facts.js';
import { deploymentKind, leadTimeSeconds, type Moment } from '../../../domain/history/deployment.js';
import { isSameEnvironment } from '../../../domain/policy/policy.js';
import type { Verdict } from '../../../domain/release/evaluate.js';
import { EventsRepository } from '../../../events/events.repository.js';
import { releaseNotFound } from '../../../http/errors/domain-error.js';
import { githubUnavailable } from '../../../http/errors/github-unavailable.js';
import { RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { MembersRepository } from '../../accounts/members/members.repository.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import {
  type SavedEvaluation,
  ReleaseEvaluationService,
} from '../../releases/evaluation/release-evaluation.service.js';
import { ReleaseRefreshService } from '../../releases/evaluation/release-refresh.service.js';
import { ObservationsRepository } from '../../releases/facts/observations.repository.js';
import { releaseAlreadyShipped } from '../../releases/releases.errors.js';
import { ShippingService } from '../../releases/shipping/shipping.service.js';
import type { CreateDeploymentRecordDto, DeploymentRecordDto } from '../history.dto.js';
import { HistoryQueries } from '../history.queries.js';
import { DeploymentDecisionsService } from './deployment-decisions.service.js';
import {
  candidateWasDifferent,
  gateWasClosed,
  freezeWasActive,
  gateClosed,
  deployedAtInFuture,
  wrongEnvironment,
  deploymentReportedByGitHub,
} from './deployments.errors.js';
import { type DeployableRelease, DeploymentsRepository, type EarlierDecision } from './deployments.repository.js';

/** A deployment of a release's candidate that a user reports. */
export interface ManualDeploymentInput {
  readonly repositoryId: string;
  readonly releaseId: string;
  /** The time of the deployment; null means now. */
  readonly deployedAt: Date | null;
  /** Null means the target of the policy. */
  readonly environment: string | null;
  readonly note: string | null;
  readonly by: { readonly id: number; readonly login: string };
  /** False if GitHub did not return all current facts of the release. */
  readonly isUpToDate: boolean;
}

/** The created record. */
export interface RecordedDeployment {
  readonly id: string;
  readonly version: string;
  readonly candidateSha: Sha;
  readonly environment: string;
  readonly deployedAt: Date;
}

/** Codes of conditions that only say that a fact could not be read. */
const NOT_READ: ReadonlySet<string> = new Set(['facts_stale', 'unknown']);

/** A time in whole seconds means the whole second, as GitHub's times do. The result never lies in the future. */
function toMoment(input: Date | null, now: Date): Moment {
  const at = input ?? now;
  const span = input?.getMilliseconds() === 0 ? 1000 : 1;
  return { earliest: at, latest: new Date(Math.min(at.getTime() + span, now.getTime() + 1)) };
}

/** Returns the candidate whose gate is open now. Throws if the gate is closed. */
function getOpenCandidate(
  { release, verdict }: SavedEvaluation,
  { isUpToDate }: ManualDeploymentInput,
  now: Date,
): Sha {
  if (release.record.shipped) throw releaseAlreadyShipped();
  const { candidateSha, gate } = verdict;
  if (isOpen(gate, now) && candidateSha !== null) return candidateSha;
  if (!isUpToDate && gate.reasons.every(({ code }) => NOT_READ.has(code)))
    throw githubUnavailable(undefined, { nextStep: 'The stored facts of the release are too old. Try again soon.' });
  throw gateClosed(release.record.version, gate.reasons);
}

const isOpen = ({ openUntil }: Verdict['gate'], now: Date): boolean => openUntil !== null && openUntil > now.getTime();

/** How long an admin waits for GitHub, in milliseconds. The deploy gate waits as long. */
const DEADLINE_MS = 3_000;

/** A deployment that an admin reports. A null time means now. A null environment means the target. */
type ManualDeployment = Pick<ManualDeploymentInput, 'deployedAt' | 'environment' | 'note'> &
  Pick<CreateDeploymentRecordDto, 'milestoneId'>;

/** Records deployments that GitHub does not report, on behalf of an admin, and ships their releases. */
@Injectable()
export class ManualDeploymentsService {
  constructor(
    private readonly database: Database,
    private readonly repos: RepositoriesRepository,
    private readonly refresh: ReleaseRefreshService,
    private readonly members: MembersRepository,
    private readonly shipping: ShippingService,
    private readonly records: HistoryQueries,
    private readonly events: EventsRepository,
    private readonly audit: AuditLogService,
    private readonly clock: Clock,
    private readonly deployments: DeploymentsRepository,
    private readonly evaluations: ReleaseEvaluationService,
    private readonly observations: ObservationsRepository,
    private readonly deploymentDecisions: DeploymentDecisionsService,
  ) {}

  /**
   * Ships the release and returns its record. Throws `invalid` for a time in the future, `not_found` if the admin cannot read the
   * release, `forbidden` if the user is no admin, and the errors of `recordInTransaction`.
   */
  async record({ orgId, viewer, user }: Member, deployment: ManualDeployment): Promise<DeploymentRecordDto> {
    const { milestoneId, deployedAt, environment } = deployment;
    const note = deployment.note?.trim() ?? null;
    if (deployedAt !== null && !(deployedAt <= this.clock.now())) throw deployedAtInFuture();
    const repository = await this.database.asViewer(viewer, (tx) => this.repos.findByRelease(tx, milestoneId));
    if (!repository) throw releaseNotFound();
    const repositoryId = repository.id;
    const isUpToDate = await this.refreshInTime(orgId, milestoneId);
    const by = { id: user.id, login: user.login };
    return this.shipping.shipWithScopeLock(orgId, async (tx) => {
      await this.members.lockAdmin(tx, user.id);
      const input = { repositoryId, releaseId: milestoneId, deployedAt, environment, note, by, isUpToDate };
      const recorded = await this.recordInTransaction(tx, input);
      await this.events.append(tx, { type: 'release.updated', repositoryId, milestoneId });
      await this.audit.append(tx, {
        actor: { type: 'person', ...by },
        action: 'deployment.recorded',
        subject: recorded.version,
        data: { milestoneId, repositoryId, ...recorded, deployedAt: recorded.deployedAt.toISOString(), note },
        repositoryIds: [repositoryId],
      });
      const [item] = await this.records.list(tx, [recorded.id]);
      if (!item) throw new Error(`The record ${recorded.id} was not found.`);
      return item;
    });
  }

  /** Refreshes the stale facts of the release. Returns false if GitHub did not return all of them in time. */
  private async refreshInTime(orgId: OrgId, releaseId: string): Promise<boolean> {
    const read = this.refresh.refreshShared(orgId, releaseId, { cause: 'history', actor: 'service' });
    const answered = read.then(
      ({ failures }) => failures.every(({ isTransient }) => !isTransient),
      () => false,
    );
    return pTimeout(answered, { milliseconds: DEADLINE_MS, fallback: () => false });
  }

  /**
   * Ships the release and records it, once. Throws `conflict` unless its gate is open now and was open for the same candidate at
   * the time of the deployment; `unprocessable` for an environment other than the target.
   */
  async recordInTransaction(tx: TenantTransaction, input: ManualDeploymentInput): Promise<RecordedDeployment> {
    const { repositoryId, releaseId, by } = input;
    // Locks all of them before a single one, in the same order as the code that records deployments of GitHub.
    await this.deployments.lockDeployable(tx, repositoryId);
    const evaluation = await this.evaluations.evaluateAndSave(tx, releaseId, { cause: 'history', actor: 'service' });
    if (!evaluation) throw releaseNotFound();
    const now = this.clock.now();
    const candidateSha = getOpenCandidate(evaluation, input, now);
    const environment = await this.getTarget(tx, input, evaluation);
    const deployedAt = input.deployedAt ?? now;
    const { release, decision } = await this.findAt(tx, input, toMoment(input.deployedAt, now));
    // For a deployment now the open gate already excludes a freeze.
    if (input.deployedAt !== null) await this.assertNoFreeze(tx, deployedAt, decision);
    if (!decision?.open) throw gateWasClosed();
    if (decision.candidateSha !== candidateSha) throw candidateWasDifferent(candidateSha);
    if (input.deployedAt !== null)
      await this.assertNotReported(tx, repositoryId, decision, { environment, deployedAt });
    const kind = deploymentKind({ ...release, superseded: false, decision, frozen: false });
    if (kind !== 'release' && kind !== 'hotfix') throw gateWasClosed();
    const shipment = { releaseId, deployedSha: candidateSha, actor: by.login };
    const verdict = await this.shipping.ship(tx, shipment, decision.id);
    if (!verdict) throw new Error(`Release ${releaseId} changed while it was locked.`);
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
        source: { recordedBy: by.id, note: input.note },
      },
      now,
    );
    if (id === null) throw new Error('A record without a deployment of GitHub conflicts with none.');
    return { id, version, candidateSha, environment, deployedAt };
  }

  /** Returns the release and its decision at that time. */
  private async findAt(
    tx: TenantTransaction,
    { repositoryId, releaseId }: ManualDeploymentInput,
    moment: Moment,
  ): Promise<{ readonly release: DeployableRelease; readonly decision: EarlierDecision | null }> {
    const releases = await this.deployments.listDeployable(tx, repositoryId);
    const release = releases.find(({ id }) => id === releaseId);
    if (!release) throw gateWasClosed();
    return { release, decision: await this.deployments.decisionAt(tx, releaseId, moment) };
  }

  /** Throws `conflict` if a freeze was in effect at that time. */
  private async assertNoFreeze(tx: TenantTransaction, at: Date, decision: EarlierDecision | null): Promise<void> {
    if (await this.deploymentDecisions.wasHeldByFreeze(tx, at, decision)) throw freezeWasActive();
  }

  /** Throws `conflict` if GitHub reported the deployment, because it is then recorded automatically. */
  private async assertNotReported(
    tx: TenantTransaction,
    repositoryId: string,
    decision: EarlierDecision,
    { environment, deployedAt }: { readonly environment: string; readonly deployedAt: Date },
  ): Promise<void> {
    const deployment = { shas: decision.candidateShas, environment, at: deployedAt };
    if (await this.deployments.wasReportedByGitHub(tx, repositoryId, deployment)) throw deploymentReportedByGitHub();
  }

  private async getTarget(
    tx: TenantTransaction,
    { repositoryId, environment }: ManualDeploymentInput,
    { release, verdict }: SavedEvaluation,
  ): Promise<string> {
    const policy = await this.observations.find(tx, repositoryId);
    if (!policy) throw gateClosed(release.record.version, verdict.gate.reasons);
    const { target } = policy.deployment;
    if (environment !== null && !isSameEnvironment(environment, target)) throw wrongEnvironment(target);
    return target;
  }
}
