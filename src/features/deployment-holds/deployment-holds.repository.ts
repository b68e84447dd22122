import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../database/database.js';
import type { Sha } from '../../domain/facts/facts.js';

/** GitHub accepts ten reports. The service does not use the last one, so that an admin can still add a report by hand. */
const MAX_REPORTS = 9;
const REPORT_INTERVAL_S = 60;

/** A run and an environment that its jobs wait for. */
export interface HoldRequest {
  readonly runId: number;
  readonly environment: string;
  /** The deployment of the delivery; null if it named none. */
  readonly deploymentId: number | null;
}

/** The jobs of a run that wait for an environment. */
export interface WaitingHold {
  readonly id: string;
  readonly repositoryId: string;
  readonly runId: number;
  /** Null until the run was read. */
  readonly runAttempt: number | null;
  readonly environment: string;
  readonly requestedAt: Date;
  readonly releaseId: string | null;
  readonly decisionId: string | null;
  /** When the first answer with an unknown effect was sent; null if there is none. */
  readonly sentAt: Date | null;
}

/** A release whose candidate may be the commit of a hold. */
export interface CandidateRelease {
  readonly id: string;
  readonly version: string;
  readonly candidateSha: Sha;
  readonly candidateShas: readonly Sha[];
  readonly isShipped: boolean;
}

type EndState = 'approved' | 'rejected' | 'gone';

/** Stores the deployments that wait for the protection rule, and their results. */
@Injectable()
export class DeploymentHoldsRepository {
  /**
   * Adds a hold, or adds the deployment to a hold that already waits. Returns the id of the hold. Returns null if the deployment
   * belongs to a hold that ended, because its delivery came again.
   */
  async request(
    tx: TenantTransaction,
    repositoryId: string,
    { runId, environment, deploymentId }: HoldRequest,
    now: Date,
  ): Promise<string | null> {
    const ids = deploymentId === null ? [] : [deploymentId];
    const [row] = await tx.query<{ readonly id: string }>(
      `insert into deployment_hold as hold (org_id, id, repository_id, run_id, environment, deployment_github_ids, requested_at)
       select $1, $2, $3, $4::bigint, $5, $6::bigint[], $7 where not exists (
         select from deployment_hold known where known.repository_id = $3 and known.run_id = $4::bigint
           and known.environment = $5 and known.state <> 'waiting' and known.deployment_github_ids && $6::bigint[])
       on conflict (org_id, repository_id, run_id, environment) where state = 'waiting' do update
       set deployment_github_ids =
         array(select distinct id from unnest(hold.deployment_github_ids || excluded.deployment_github_ids) as id order by id)
       returning id`,
      [tx.orgId, randomUUID(), repositoryId, runId, environment, ids, now],
    );
    return row?.id ?? null;
  }

  /** Returns the hold while it waits; null afterwards. */
  async findWaiting(tx: TenantTransaction, id: string): Promise<WaitingHold | null> {
    const [row] = await tx.query<Omit<WaitingHold, 'runId'> & { readonly runId: string }>(
      `select id, repository_id as "repositoryId", run_id as "runId", run_attempt as "runAttempt", environment,
         requested_at as "requestedAt", release_id as "releaseId", decision_id as "decisionId", sent_at as "sentAt"
       from deployment_hold where id = $1 and state = 'waiting'`,
      [id],
    );
    return row ? { ...row, runId: Number(row.runId) } : null;
  }

  /** Lists the holds of the repository that wait. */
  async listWaiting(tx: TenantTransaction, repositoryId: string): Promise<readonly string[]> {
    const rows = await tx.query<{ readonly id: string }>(
      `select id from deployment_hold where repository_id = $1 and state = 'waiting' order by requested_at, id`,
      [repositoryId],
    );
    return rows.map(({ id }) => id);
  }

  /** Whether the rule was enabled for the repository, or held one of its deployments. */
  async isKnown(tx: TenantTransaction, repositoryId: string): Promise<boolean> {
    const rows = await tx.query(
      `(select from deployment_hold where repository_id = $1 limit 1)
       union all (select from protection_rule where repository_id = $1 limit 1)`,
      [repositoryId],
    );
    return rows.length > 0;
  }

  async setRun(
    tx: TenantTransaction,
    id: string,
    { attempt, headSha }: { readonly attempt: number; readonly headSha: Sha },
  ): Promise<void> {
    await tx.query(`update deployment_hold set run_attempt = $2, sha = $3 where id = $1 and state = 'waiting'`, [
      id,
      attempt,
      headSha,
    ]);
  }

  /** Lists the releases of the repository with a candidate, those that are not shipped first. */
  async listCandidates(tx: TenantTransaction, repositoryId: string): Promise<readonly CandidateRelease[]> {
    return tx.query<CandidateRelease>(
      `select id, version, candidate_sha as "candidateSha", candidate_shas as "candidateShas",
         shipped_at is not null as "isShipped"
       from release where repository_id = $1 and candidate_sha is not null and deleted_at is null
       order by shipped_at desc nulls first, id`,
      [repositoryId],
    );
  }

  /**
   * Saves the start of an attempt to send an answer, with its decision. The time of an earlier attempt with an unknown effect
   * stays, because that attempt may have taken effect.
   */
  async beginAnswer(
    tx: TenantTransaction,
    id: string,
    basis: { readonly releaseId: string; readonly decisionId: string } | null,
    now: Date,
  ): Promise<void> {
    await tx.query(
      `update deployment_hold set sent_at = coalesce(sent_at, $2), release_id = coalesce($3, release_id),
         decision_id = coalesce($4, decision_id)
       where id = $1 and state = 'waiting'`,
      [id, now, basis?.releaseId ?? null, basis?.decisionId ?? null],
    );
  }

  /** Cancels the attempt, because GitHub certainly did not accept the answer. `sentAt` is the time of an earlier attempt. */
  async cancelAnswer(tx: TenantTransaction, id: string, sentAt: Date | null): Promise<void> {
    await tx.query(`update deployment_hold set sent_at = $2 where id = $1 and state = 'waiting'`, [id, sentAt]);
  }

  /** Ends the hold. `decisionId` is the decision that the answer named. It is not the last one if an earlier answer took effect. */
  async end(
    tx: TenantTransaction,
    id: string,
    { state, decisionId = null }: { readonly state: EndState; readonly decisionId?: string | null },
    now: Date,
  ): Promise<void> {
    await tx.query(
      `update deployment_hold hold set state = $2, ended_at = $4,
         decision_id = coalesce((select d.id from decision d where d.id = $3), hold.decision_id),
         release_id = coalesce((select d.release_id from decision d where d.id = $3), hold.release_id)
       where hold.id = $1 and hold.state = 'waiting'`,
      [id, state, decisionId, now],
    );
  }

  /**
   * Reserves a report of the reasons with this digest. Returns false if the last report has the same digest or is younger than a
   * minute, or if GitHub accepts no more reports.
   */
  async reserveReport(tx: TenantTransaction, id: string, digest: string, now: Date): Promise<boolean> {
    const reserved = await tx.query(
      `update deployment_hold set reported_digest = $2, reported_at = $3, reports = reports + 1
       where id = $1 and state = 'waiting' and reports < ${MAX_REPORTS} and reported_digest is distinct from $2
         and (reported_at is null or reported_at <= $3::timestamptz - make_interval(secs => ${REPORT_INTERVAL_S}))
       returning id`,
      [id, digest, now],
    );
    return reserved.length > 0;
  }

  /** Replaces a hold whose run was started again, because its jobs wait again. Returns the id of the new hold. */
  async restart(tx: TenantTransaction, id: string, now: Date): Promise<string | null> {
    const [row] = await tx.query<{ readonly id: string }>(
      `insert into deployment_hold (org_id, id, repository_id, run_id, environment, deployment_github_ids, requested_at)
       select org_id, $2, repository_id, run_id, environment, deployment_github_ids, $3 from deployment_hold where id = $1
       returning id`,
      [id, randomUUID(), now],
    );
    return row?.id ?? null;
  }
}
