import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../../database/database.js';
import type { Condition } from '../../../domain/facts/condition.js';
import type { DeploymentFact, Sha } from '../../../domain/facts/facts.js';
import type { DeploymentRecordKind } from '../../../domain/history/deployment.js';
import {
  type DeploymentReports,
  LONGEST_DEPLOYMENT_MS,
  type ReportedStart,
  type ReportedState,
} from '../../../domain/history/reported-deployment.js';
import type { EarlierDecision } from './deployments.repository.js';

/** The credential of a report. */
export type Reporter =
  | { readonly kind: 'api_key'; readonly keyId: string }
  | {
      readonly kind: 'identity_token';
      /** The id of the token. */
      readonly jti: string;
      readonly runId: number;
      readonly runAttempt: number;
      readonly event: string;
      readonly workflow: string | null;
      readonly ref: string | null;
      readonly sha: Sha;
    };

/** What identifies a reported deployment. Environments are compared ignoring case. */
export interface ReportedId {
  readonly repositoryId: string;
  readonly environment: string;
  /** The id that the caller chose. */
  readonly reportedId: string;
}

/** A reported deployment with its reports. */
export interface ReportedDeployment extends ReportedId, DeploymentReports {
  readonly id: string;
  readonly commitSha: Sha;
  /** The version that the first report named; null if it named none. */
  readonly version: string | null;
  /** The release of the commit at the first report; null if there was none. */
  readonly releaseId: string | null;
  /** The run on GitHub that a report names; null if none does. */
  readonly runId: number | null;
  /** The reasons that the start was answered with. */
  readonly reasons: readonly Condition[];
  readonly startedBy: Reporter | null;
  readonly endedBy: Reporter | null;
}

/** A report to be stored. */
export interface NewReport {
  readonly deployment: Pick<ReportedDeployment, 'id' | 'repositoryId'>;
  readonly status: ReportedState;
  readonly receivedAt: Date;
  /** The time that the caller stated. It is only shown. */
  readonly statedAt: Date | null;
  /** Null for the service itself. */
  readonly reportedBy: Reporter | null;
  readonly runId: number | null;
  readonly runUrl: string | null;
  /** The report names a digest that the policy does not accept. */
  readonly hasOtherBytes: boolean;
  /** The gate of a start; null for every other status. */
  readonly start: (Omit<ReportedStart, 'at'> & { readonly reasons: readonly Condition[] }) | null;
}

/** The row of a deployment. Times in JSON are texts. */
interface Row extends Omit<ReportedDeployment, 'start' | 'end' | 'lostAt' | 'reasons' | 'startedBy' | 'endedBy'> {
  readonly started:
    | (Omit<ReportedStart, 'at'> & {
        readonly at: string;
        readonly reasons: readonly Condition[];
        readonly by: Reporter;
      })
    | null;
  readonly ended: {
    readonly status: NonNullable<DeploymentReports['end']>['status'];
    readonly at: string;
    readonly hasOtherBytes: boolean;
    readonly by: Reporter;
  } | null;
  readonly lostAt: Date | null;
}

const SELECT = `
  select d.id, d.repository_id as "repositoryId", d.environment, d.reported_id as "reportedId", d.commit_sha as "commitSha",
    d.version, d.release_id as "releaseId", coalesce(s.run_id, e.run_id)::float8 as "runId",
    case when s.id is not null then jsonb_build_object('at', s.received_at, 'atTarget', s.at_target,
      'canDeploy', s.can_deploy, 'releaseId', s.release_id, 'decisionId', s.decision_id, 'reasons', s.reasons,
      'by', s.reported_by) end as started,
    case when e.id is not null then
      jsonb_build_object('status', e.status, 'at', e.received_at, 'hasOtherBytes', e.has_other_bytes, 'by', e.reported_by) end as ended,
    u.received_at as "lostAt"
  from reported_deployment d
  left join deployment_report s on s.deployment_id = d.id and s.status = 'started'
  left join deployment_report u on u.deployment_id = d.id and u.status = 'unknown'
  left join deployment_report e on e.deployment_id = d.id and e.status in ('succeeded', 'failed', 'cancelled')`;

/** Stores the deployments that CI systems report, and their reports. Neither ever changes. */
@Injectable()
export class ReportedDeploymentsRepository {
  /** Locks the reported deployments of a repository until the transaction ends. Every transaction that adds one locks them first. */
  async lock(tx: TenantTransaction, repositoryId: string): Promise<void> {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [
      `${tx.orgId} reported deployments ${repositoryId}`,
    ]);
  }

  async find(tx: TenantTransaction, id: string): Promise<ReportedDeployment | null> {
    const [row] = await tx.query<Row>(`${SELECT} where d.id = $1`, [id]);
    return row ? toDeployment(row) : null;
  }

  async findByReportedId(
    tx: TenantTransaction,
    { repositoryId, environment, reportedId }: ReportedId,
  ): Promise<ReportedDeployment | null> {
    const [row] = await tx.query<Row>(
      `${SELECT} where d.repository_id = $1 and lower(d.environment) = lower($2) and d.reported_id = $3`,
      [repositoryId, environment, reportedId],
    );
    return row ? toDeployment(row) : null;
  }

  /**
   * Lists the reported deployments of the same commit and environment that name the run of a deployment of GitHub, or its id, oldest
   * first.
   */
  async listLinked(
    tx: TenantTransaction,
    repositoryId: string,
    { githubId, runId, sha, environment }: DeploymentFact,
  ): Promise<readonly ReportedDeployment[]> {
    const rows = await tx.query<Row>(
      `${SELECT} where d.repository_id = $1 and d.commit_sha = $2 and lower(d.environment) = lower($3)
         and (d.reported_id = $4::text or exists (
           select from deployment_report r where r.repository_id = $1 and r.run_id = $5 and r.deployment_id = d.id))
       order by d.created_at, d.id`,
      [repositoryId, sha, environment, String(githubId), runId],
    );
    return rows.map(toDeployment);
  }

  /** Lists the deployments of GitHub that are stored with one of these runs or ids, latest first. */
  async listGitHubIds(
    tx: TenantTransaction,
    repositoryId: string,
    { runId, reportedId, commitSha, environment }: ReportedDeployment,
  ): Promise<readonly number[]> {
    const rows = await tx.query<{ readonly id: number }>(
      `select github_id::float8 as id from deployment where repository_id = $1 and sha = $2 and lower(environment) = lower($3)
         and (run_id = $4 or github_id::text = $5) order by github_id desc`,
      [repositoryId, commitSha, environment, runId, reportedId],
    );
    return rows.map(({ id }) => id);
  }

  /** Lists the deployments to an environment that have started and not ended, oldest first. */
  async listOpen(
    tx: TenantTransaction,
    { repositoryId, environment }: Omit<ReportedId, 'reportedId'>,
    now: Date,
  ): Promise<readonly ReportedDeployment[]> {
    const rows = await tx.query<Row>(
      `${SELECT} where d.repository_id = $1 and lower(d.environment) = lower($2) and s.repository_id = $1
         and s.received_at > $3 and u.id is null and e.id is null
       order by s.received_at, s.id`,
      [repositoryId, environment, new Date(now.getTime() - LONGEST_DEPLOYMENT_MS)],
    );
    return rows.map(toDeployment);
  }

  /** Lists the latest successful deployments to an environment since a time that the history lacks, at most 30, oldest first. */
  async listUnsettled(
    tx: TenantTransaction,
    { repositoryId, environment }: Omit<ReportedId, 'reportedId'>,
    since: Date,
  ): Promise<readonly string[]> {
    const rows = await tx.query<{ readonly id: string }>(
      `select d.id from deployment_report e join reported_deployment d on d.id = e.deployment_id
       where e.repository_id = $1 and e.status = 'succeeded' and lower(d.environment) = lower($2) and e.received_at > $3 and not exists (
         select from deployment_record known where known.reported_deployment_id = d.id)
       order by e.received_at desc, e.id desc limit 30`,
      [repositoryId, environment, since],
    );
    return rows.map(({ id }) => id).toReversed();
  }

  /** Saves a deployment without its reports. The caller has locked the deployments of the repository. */
  async create(
    tx: TenantTransaction,
    deployment: ReportedId & Pick<ReportedDeployment, 'id' | 'commitSha' | 'version' | 'releaseId'>,
    now: Date,
  ): Promise<void> {
    const { id, repositoryId, environment, reportedId, commitSha, version, releaseId } = deployment;
    await tx.query(
      `insert into reported_deployment (org_id, id, repository_id, environment, reported_id, commit_sha, version, release_id,
         created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [tx.orgId, id, repositoryId, environment, reportedId, commitSha, version, releaseId, now],
    );
  }

  /** Counts the stored reports of an identity token. */
  async countByToken(tx: TenantTransaction, jti: string): Promise<number> {
    const [row] = await tx.query<{ readonly count: number }>(
      `select count(*)::float8 as count from deployment_report where reported_by ->> 'jti' = $1`,
      [jti],
    );
    return row?.count ?? 0;
  }

  async appendReport(tx: TenantTransaction, report: NewReport): Promise<void> {
    const { deployment, start } = report;
    await tx.query(
      `insert into deployment_report (org_id, deployment_id, repository_id, status, received_at, stated_at, reported_by,
         run_id, run_url, at_target, can_deploy, reasons, release_id, decision_id, has_other_bytes)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
      [
        tx.orgId,
        deployment.id,
        deployment.repositoryId,
        report.status,
        report.receivedAt,
        report.statedAt,
        report.reportedBy && JSON.stringify(report.reportedBy),
        report.runId,
        report.runUrl,
        start?.atTarget ?? null,
        start?.canDeploy ?? null,
        start && JSON.stringify(start.reasons),
        start?.releaseId ?? null,
        start?.decisionId ?? null,
        report.hasOtherBytes,
      ],
    );
  }

  /** Returns the decision with which a start was answered. Its gate was open. */
  async getOpenDecision(tx: TenantTransaction, decisionId: string): Promise<EarlierDecision> {
    const [decision] = await tx.query<Omit<EarlierDecision, 'open'>>(
      `select id, candidate_sha as "candidateSha", coalesce(verdict -> 'candidateShas', '[]') as "candidateShas",
         coalesce(verdict -> 'overrides', '[]') as overrides from decision where id = $1`,
      [decisionId],
    );
    if (!decision) throw new Error(`The decision ${decisionId} does not exist.`);
    return { ...decision, open: true };
  }

  /** Whether the decision accepted the digest as an artifact of its candidate. */
  async wasAccepted(tx: TenantTransaction, decisionId: string, digest: string): Promise<boolean> {
    const rows = await tx.query(
      `select from decision where id = $1 and verdict -> 'artifacts' @> jsonb_build_array(jsonb_build_object('digest', $2::text))`,
      [decisionId, digest],
    );
    return rows.length > 0;
  }

  /** Returns the record of the deployment in the history; null if there is none. */
  async findRecord(
    tx: TenantTransaction,
    id: string,
  ): Promise<{ readonly kind: DeploymentRecordKind; readonly releaseId: string | null } | null> {
    const [row] = await tx.query<{ readonly kind: DeploymentRecordKind; readonly releaseId: string | null }>(
      `select kind, release_id as "releaseId" from deployment_record where reported_deployment_id = $1`,
      [id],
    );
    return row ?? null;
  }
}

function toDeployment({ started, ended, ...row }: Row): ReportedDeployment {
  return {
    ...row,
    start: started && {
      at: new Date(started.at),
      atTarget: started.atTarget,
      canDeploy: started.canDeploy,
      releaseId: started.releaseId,
      decisionId: started.decisionId,
    },
    reasons: started?.reasons ?? [],
    startedBy: started?.by ?? null,
    end: ended && { status: ended.status, at: new Date(ended.at), hasOtherBytes: ended.hasOtherBytes },
    endedBy: ended?.by ?? null,
  };
}
