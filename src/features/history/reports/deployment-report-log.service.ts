import { Injectable } from '@nestjs/common';
import type { CiCaller } from '../../../auth/caller.js';
import type { TenantTransaction } from '../../../database/database.js';
import type { ReportedState } from '../../../domain/history/reported-deployment.js';
import { EventsRepository } from '../../../events/events.repository.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import { FactsService } from '../../releases/facts/facts.service.js';
import {
  type ReportedDeployment,
  ReportedDeploymentsRepository,
  type Reporter,
} from '../deployments/reported-deployments.repository.js';

/** A report that was stored. */
interface LoggedReport {
  readonly caller: CiCaller;
  readonly repository: { readonly id: string };
  readonly report: {
    readonly environment: string;
    readonly reportedId: string;
    readonly version: string | null;
    readonly status: ReportedState;
  };
  readonly commit: { readonly sha: string };
  readonly deploymentId: string;
  readonly releaseId: string | null;
}

export const toReporter = (caller: CiCaller): Reporter =>
  caller.kind === 'api_key'
    ? { kind: caller.kind, keyId: caller.keyId }
    : {
        kind: caller.kind,
        jti: caller.jti,
        runId: caller.runId,
        runAttempt: caller.runAttempt,
        event: caller.event,
        workflow: caller.workflow,
        ref: caller.ref,
        sha: caller.sha,
      };

/** Appends the event and the audit entry of each stored report. */
@Injectable()
export class DeploymentReportLogService {
  constructor(
    private readonly reports: ReportedDeploymentsRepository,
    private readonly facts: FactsService,
    private readonly events: EventsRepository,
    private readonly audit: AuditLogService,
  ) {}

  /** The audit log makes other transactions wait, so call it last. */
  async append(tx: TenantTransaction, logged: LoggedReport): Promise<void> {
    const { repository, report, commit, deploymentId, releaseId } = logged;
    await this.log(tx, {
      id: deploymentId,
      repositoryId: repository.id,
      environment: report.environment,
      reportedId: report.reportedId,
      commitSha: commit.sha,
      version: report.version,
      releaseId,
      status: report.status,
      by: toReporter(logged.caller),
    });
  }

  /** Ends a deployment whose end was not reported in time. It ships nothing any more. */
  async endAsUnknown(tx: TenantTransaction, deployment: ReportedDeployment, now: Date): Promise<void> {
    await this.facts.invalidateAfterReport(tx, deployment.repositoryId, deployment.environment);
    await this.reports.appendReport(tx, {
      deployment,
      status: 'unknown',
      receivedAt: now,
      statedAt: null,
      reportedBy: null,
      runId: null,
      runUrl: null,
      hasOtherBytes: false,
      start: null,
    });
    await this.log(tx, { ...deployment, status: 'unknown', by: null });
  }

  private async log(
    tx: TenantTransaction,
    deployment: Pick<
      ReportedDeployment,
      'id' | 'repositoryId' | 'environment' | 'reportedId' | 'commitSha' | 'version' | 'releaseId'
    > & { readonly status: ReportedState; readonly by: Reporter | null },
  ): Promise<void> {
    const { id, repositoryId, environment, reportedId, commitSha, version, releaseId, status, by } = deployment;
    await this.events.append(tx, {
      type: 'deployment.updated',
      repositoryId,
      ...(releaseId !== null && { milestoneId: releaseId }),
    });
    await this.audit.append(tx, {
      actor: { type: 'service' },
      action: 'deployment.reported',
      subject: version ?? commitSha,
      data: {
        repositoryId,
        milestoneId: releaseId,
        deploymentId: id,
        deployment: reportedId,
        environment,
        commitSha,
        status,
        reportedBy: by && { ...by },
      },
      repositoryIds: [repositoryId],
    });
  }
}
