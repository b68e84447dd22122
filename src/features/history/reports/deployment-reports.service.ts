import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type CiCaller, canReadDetails, type RepositoryIds } from '../../../auth/caller.js';
import { Clock } from '../../../config/clock.js';
import { Database, type TenantTransaction } from '../../../database/database.js';
import type { Condition } from '../../../domain/facts/condition.js';
import type { DeploymentRecordKind } from '../../../domain/history/deployment.js';
import {
  isOpen,
  LONGEST_DEPLOYMENT_MS,
  MAX_OPEN_DEPLOYMENTS,
  reportEffect,
} from '../../../domain/history/reported-deployment.js';
import { findRunId } from '../../../domain/history/run-url.js';
import type { Policy } from '../../../domain/policy/policy.js';
import { isSameEnvironment } from '../../../domain/policy/policy.js';
import { JobsService } from '../../../jobs/jobs.service.js';
import { FactsService } from '../../releases/facts/facts.service.js';
import { ObservationsRepository } from '../../releases/facts/observations.repository.js';
import {
  type NewReport,
  type ReportedDeployment,
  ReportedDeploymentsRepository,
} from '../deployments/reported-deployments.repository.js';
import { type CommitGate, CommitGateService, type MatchingRelease } from './commit-gate.service.js';
import {
  type DeploymentReport,
  DeploymentReportTargetService,
  type Located,
} from './deployment-report-target.service.js';
import {
  assertNotInFuture,
  otherCommitReported,
  otherEndReported,
  otherTokenCommit,
  reportLimitReached,
} from './deployment-reports.errors.js';
import { DeploymentReportLogService, toReporter } from './deployment-report-log.service.js';
import { ExpectedKindService } from './expected-kind.service.js';
import { ReportedDeploymentRecordsService } from './reported-deployment-records.service.js';

/** The maximum number of reports with one identity token. Repetitions do not count. */
const MAX_REPORTS_PER_TOKEN = 50;
/** The job finds the record of the request. It acts only if the request was interrupted. */
const RECORD_AFTER_SECONDS = 5;

/** The answer to a stored report. */
export interface ReportAnswer {
  readonly deploymentId: string;
  readonly kind: DeploymentRecordKind | null;
  readonly releaseId: string | null;
  readonly decisionId: string | null;
  readonly canDeploy: boolean;
  readonly reasons: readonly Condition[];
  /** Whether the caller may read the details of the reasons. */
  readonly withMessages: boolean;
  /** Whether the report was stored before. */
  readonly isRepeated: boolean;
}

export type CountReport = (repository: Pick<RepositoryIds, 'githubId'> | null) => Promise<void>;

/** A stored report, with the deployment as it was before. */
interface Stored {
  readonly deploymentId: string;
  readonly before: ReportedDeployment | null;
  readonly isRepeated: boolean;
}

const DEPLOYMENT_ENDED: Condition = {
  code: 'deployment_ended',
  detail: 'The end of this deployment was reported, or it took too long.',
  actor: 'deployer',
};

/** Stores what CI systems report about deployments, and answers with the gate. */
@Injectable()
export class DeploymentReportsService {
  constructor(
    private readonly database: Database,
    private readonly targets: DeploymentReportTargetService,
    private readonly gates: CommitGateService,
    private readonly reports: ReportedDeploymentsRepository,
    private readonly kinds: ExpectedKindService,
    private readonly observations: ObservationsRepository,
    private readonly records: ReportedDeploymentRecordsService,
    private readonly facts: FactsService,
    private readonly log: DeploymentReportLogService,
    private readonly jobs: JobsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores a report once. The gate of a start is evaluated and stored in the transaction of the report, so that no clock decides which
   * gate counts.
   */
  async report(caller: CiCaller, report: DeploymentReport, count: CountReport): Promise<ReportAnswer> {
    const repository = await this.targets
      .repositoryFor(caller, report.repo, report.environment)
      .catch(async (error: unknown) => {
        await count(null);
        throw error;
      });
    await count(repository);
    assertNotInFuture(report.statedAt, this.clock.now());
    const located = await this.targets.locate(caller, repository, report);
    const { orgId } = caller;
    if (report.status === 'started') {
      const answer = await this.database.inTenant(orgId, (tx) => this.start(tx, located));
      return { ...answer, withMessages: mayReadDetails(located) };
    }
    const stored = await this.database.inTenant(orgId, (tx) => this.end(tx, located));
    if (report.status === 'succeeded') await this.records.tryRecord(orgId, repository.id, stored.deploymentId);
    const answer = await this.database.inTenant(orgId, (tx) => this.describeEnd(tx, located, stored));
    return { ...answer, withMessages: mayReadDetails(located) };
  }

  private async start(tx: TenantTransaction, located: Located): Promise<Omit<ReportAnswer, 'withMessages'>> {
    const { repository, report, commit, matching } = located;
    const repositoryId = repository.id;
    const before = await this.lockAndFind(tx, located);
    const policy = await this.observations.find(tx, repositoryId);
    const checked = { repositoryId, environment: report.environment, ...commit };
    const gate = await this.gates.checkAndSave(tx, checked, matching, policy);
    const isGoverned = isGovernedStart(gate);
    if (!located.mayGovern && (isGoverned || before?.start?.canDeploy === true)) throw otherTokenCommit();
    if (before) return this.repeatStart(tx, located, before, gate);
    const deploymentId = await this.create(tx, located, gate.release?.id ?? null);
    const { canDeploy, atTarget, decisionId, reasons } = gate;
    const releaseId = gate.release?.id ?? null;
    const start = { atTarget, canDeploy, releaseId, decisionId, reasons };
    await this.append(tx, located, deploymentId, { start, hasOtherBytes: !gate.isDigestAccepted });
    await this.endOldest(tx, located);
    await this.jobs.enqueue(
      tx,
      'end-reported-deployment',
      { orgId: tx.orgId, repositoryId, deploymentId },
      { delaySeconds: LONGEST_DEPLOYMENT_MS / 1000 },
    );
    const kind = await this.kinds.find(
      tx,
      { repositoryId: located.repository.id, sha: located.commit.sha },
      { atTarget, canDeploy, releaseId, decisionId },
    );
    await this.log.append(tx, { ...located, deploymentId, releaseId });
    return { deploymentId, kind, releaseId, decisionId, canDeploy, reasons, isRepeated: false };
  }

  /** A repeated start changes nothing. Its answer is open only if the first one was, because that one counts. */
  private async repeatStart(
    tx: TenantTransaction,
    located: Located,
    before: ReportedDeployment,
    gate: CommitGate,
  ): Promise<Omit<ReportAnswer, 'withMessages'>> {
    const { start } = before;
    const isStillOpen = isOpen(before, this.clock.now());
    const record = await this.reports.findRecord(tx, before.id);
    return {
      deploymentId: before.id,
      kind:
        start && isStillOpen
          ? await this.kinds.find(tx, { repositoryId: located.repository.id, sha: located.commit.sha }, start)
          : (record?.kind ?? null),
      releaseId: before.releaseId,
      decisionId: start?.decisionId ?? null,
      canDeploy: isStillOpen && start?.canDeploy === true && gate.canDeploy,
      reasons: toRepeatedReasons(before, isStillOpen, gate),
      isRepeated: true,
    };
  }

  private async end(tx: TenantTransaction, located: Located): Promise<Stored> {
    const { repository, report, matching } = located;
    const { status } = report;
    const before = await this.lockAndFind(tx, located);
    const effect = reportEffect(before, status);
    if (effect === 'contradiction') throw otherEndReported(before?.end?.status ?? 'ended');
    if (!located.mayGovern && before?.start && isGovernedEnd(before.start, matching)) throw otherTokenCommit();
    if (before && effect === 'repetition') return { deploymentId: before.id, before, isRepeated: true };
    const releaseId = before ? before.releaseId : (matching[0]?.id ?? null);
    await this.facts.invalidateAfterReport(tx, repository.id, report.environment);
    const deploymentId = before?.id ?? (await this.create(tx, located, releaseId));
    await this.append(tx, located, deploymentId, {
      start: null,
      hasOtherBytes: await this.hasOtherBytes(tx, located, before?.start?.decisionId ?? null),
    });
    if (status === 'succeeded') {
      const payload = { orgId: tx.orgId, repositoryId: repository.id, deploymentId };
      await this.jobs.enqueue(tx, 'record-reported-deployment', payload, { delaySeconds: RECORD_AFTER_SECONDS });
    }
    await this.log.append(tx, { ...located, deploymentId, releaseId });
    return { deploymentId, before, isRepeated: false };
  }

  /**
   * Whether the report names a digest that is no accepted artifact of the commit, neither by the decision with which the start was answered
   * nor now. The candidate may have changed while the deployment ran.
   */
  private async hasOtherBytes(
    tx: TenantTransaction,
    { repository: { id: repositoryId }, report: { environment }, commit, matching }: Located,
    startDecisionId: string | null,
  ): Promise<boolean> {
    if (commit.digest === null) return false;
    if (startDecisionId !== null && (await this.reports.wasAccepted(tx, startDecisionId, commit.digest))) return false;
    const policy = await this.observations.find(tx, repositoryId);
    return !(await this.gates.check(tx, { repositoryId, environment, ...commit }, matching, policy)).isDigestAccepted;
  }

  private async describeEnd(
    tx: TenantTransaction,
    { repository, report, commit, matching }: Located,
    { deploymentId, before, isRepeated }: Stored,
  ): Promise<Omit<ReportAnswer, 'withMessages'>> {
    const repositoryId = repository.id;
    const policy = await this.observations.find(tx, repositoryId);
    const checked = { repositoryId, environment: report.environment, ...commit };
    const gate = await this.gates.check(tx, checked, matching, policy);
    const record = await this.reports.findRecord(tx, deploymentId);
    return {
      deploymentId,
      kind: isTarget(report.environment, policy) ? (record?.kind ?? null) : null,
      releaseId: record?.releaseId ?? before?.releaseId ?? gate.release?.id ?? null,
      decisionId: before?.start?.decisionId ?? null,
      canDeploy: gate.canDeploy,
      reasons: gate.reasons,
      isRepeated,
    };
  }

  /** Locks the reports of the repository. Throws `conflict` if the deployment was reported with another commit meanwhile. */
  private async lockAndFind(
    tx: TenantTransaction,
    { repository, report, commit }: Located,
  ): Promise<ReportedDeployment | null> {
    await this.reports.lock(tx, repository.id);
    const found = await this.reports.findByReportedId(tx, { ...report, repositoryId: repository.id });
    if (found && found.commitSha !== commit.sha) throw otherCommitReported(found.commitSha);
    return found;
  }

  private async create(
    tx: TenantTransaction,
    { repository, report, commit }: Located,
    releaseId: string | null,
  ): Promise<string> {
    const id = randomUUID();
    const { environment, reportedId, version } = report;
    const deployment = { id, repositoryId: repository.id, environment, reportedId, commitSha: commit.sha, version };
    await this.reports.create(tx, { ...deployment, releaseId }, this.clock.now());
    return id;
  }

  private async append(
    tx: TenantTransaction,
    { caller, repository, report }: Located,
    deploymentId: string,
    gate: Pick<NewReport, 'start' | 'hasOtherBytes'>,
  ): Promise<void> {
    if (caller.kind === 'identity_token' && (await this.reports.countByToken(tx, caller.jti)) >= MAX_REPORTS_PER_TOKEN)
      throw reportLimitReached(MAX_REPORTS_PER_TOKEN);
    const runId = report.runUrl === null ? null : findRunId(report.runUrl);
    await this.reports.appendReport(tx, {
      deployment: { id: deploymentId, repositoryId: repository.id },
      status: report.status,
      receivedAt: this.clock.now(),
      statedAt: report.statedAt,
      reportedBy: toReporter(caller),
      runId: caller.kind === 'identity_token' ? caller.runId : runId,
      runUrl: report.runUrl,
      ...gate,
    });
  }

  /** Ends the oldest running deployments to the environment that are too many. */
  private async endOldest(tx: TenantTransaction, { repository, report }: Located): Promise<void> {
    const now = this.clock.now();
    const { environment } = report;
    const open = await this.reports.listOpen(tx, { repositoryId: repository.id, environment }, now);
    for (const deployment of open.slice(0, Math.max(0, open.length - MAX_OPEN_DEPLOYMENTS)))
      await this.log.endAsUnknown(tx, deployment, now);
  }
}

const isTarget = (environment: string, policy: Policy | null): boolean =>
  policy !== null && isSameEnvironment(environment, policy.deployment.target);

const mayReadDetails = ({ caller, repository }: Located): boolean =>
  !repository.private || canReadDetails(caller, repository);

/** At the target, an open gate or a shipped commit; elsewhere every commit of a release, because it may count for a later stage. */
const isGovernedStart = ({ atTarget, canDeploy, release }: CommitGate): boolean =>
  atTarget ? canDeploy || release?.isShipped === true : release !== null;

const isGovernedEnd = (
  { atTarget, canDeploy }: NonNullable<ReportedDeployment['start']>,
  matching: readonly MatchingRelease[],
): boolean => canDeploy || (atTarget ? matching.some(({ isShipped }) => isShipped) : matching.length > 0);

function toRepeatedReasons(
  { start, reasons }: ReportedDeployment,
  isStillOpen: boolean,
  gate: CommitGate,
): readonly Condition[] {
  if (!isStillOpen) return [DEPLOYMENT_ENDED];
  return start?.canDeploy === true ? gate.reasons : reasons;
}
