import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../../database/database.js';
import type { DeploymentFact, Sha } from '../../../domain/facts/facts.js';
import { type GateConfirmation, type Moment, wasGateOpen } from '../../../domain/history/deployment.js';
import type { AppliedOverride } from '../../../domain/override/override.js';
import type { Freeze } from '../../../domain/policy/policy.js';
import type { Stored } from '../../../domain/release/replay.js';

/** An active or shipped release whose candidate may have been deployed. */
export interface DeployableRelease {
  readonly id: string;
  readonly version: string;
  readonly candidateSha: Sha;
  readonly candidateShas: readonly Sha[];
  readonly hotfix: boolean;
  readonly shippedAt: Date | null;
  readonly startedAt: Date;
}

/** The decision in effect when a deployment began, and its commits. */
export interface EarlierDecision {
  readonly id: string;
  /** Whether its gate was open when the deployment began. */
  readonly open: boolean;
  readonly candidateSha: Sha | null;
  readonly candidateShas: readonly Sha[];
  /** The overrides that it used. */
  readonly overrides: readonly Stored<AppliedOverride>[];
}

export interface HistoryEntry {
  readonly repositoryId: string;
  readonly releaseId: string | null;
  readonly version: string | null;
  readonly kind: 'release' | 'hotfix' | 'rollback' | 'ungoverned';
  readonly commitSha: Sha;
  readonly environment: string;
  readonly deployedAt: Date;
  readonly deployedBy: string | null;
  readonly approvers: readonly string[];
  readonly decisionId: string | null;
  readonly leadTimeSeconds: number | null;
  readonly overrides: readonly Stored<AppliedOverride>[];
  readonly source: HistorySource;
}

/** The source of a record: a GitHub deployment, a reported one, both of them, or a user. */
export type HistorySource =
  | { readonly deploymentGithubId: number | null; readonly reportedDeploymentId: string | null }
  | { readonly recordedBy: number; readonly note: string | null };

/** Stores deployments, and the history, whose records never change. */
@Injectable()
export class DeploymentsRepository {
  /** Saves what GitHub says about a deployment, unless a later read is stored. Returns whether its state is another one than before. */
  async record(
    tx: TenantTransaction,
    repositoryId: string,
    deployment: DeploymentFact,
    observedAt: Date,
  ): Promise<boolean> {
    const [saved] = await tx.query<{ readonly isChanged: boolean }>(
      `with before as (
         select state, waiting from deployment where repository_id = $2 and github_id = $3)
       insert into deployment as known (org_id, repository_id, github_id, sha, environment, creator, state, waiting,
         began_at, succeeded_at, observed_at, run_id)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
       on conflict (org_id, repository_id, github_id) do update
       set state = excluded.state, waiting = excluded.waiting, began_at = excluded.began_at, succeeded_at = coalesce(known.succeeded_at, excluded.succeeded_at),
         observed_at = excluded.observed_at, run_id = coalesce(excluded.run_id, known.run_id),
         -- A deployment that waited again has another start.
         open_decision_id = case when known.began_at = excluded.began_at and known.environment = excluded.environment
           then known.open_decision_id end
       where known.observed_at < excluded.observed_at
       returning not exists (
         select from before where (before.state, before.waiting) = (known.state, known.waiting)) as "isChanged"`,
      [
        tx.orgId,
        repositoryId,
        deployment.githubId,
        deployment.sha,
        deployment.environment,
        deployment.creator,
        deployment.state,
        deployment.waiting,
        deployment.beganAt,
        deployment.succeededAt,
        observedAt,
        deployment.runId,
      ],
    );
    return saved?.isChanged === true;
  }

  /** Stores the open decision by which a deployment that has started may run; null if its gate was closed or is not known. */
  async recordOpenDecision(
    tx: TenantTransaction,
    repositoryId: string,
    { githubId, beganAt }: DeploymentFact,
    decisionId: string | null,
  ): Promise<void> {
    await tx.query(
      `update deployment set open_decision_id = $4
       where repository_id = $1 and github_id = $2 and began_at = $3 and open_decision_id is distinct from $4`,
      [repositoryId, githubId, beganAt, decisionId],
    );
  }

  /** Lists the releases with this commit as candidate or equivalent commit, by stored facts. Shipped ones are left out. */
  async listOfCandidate(tx: TenantTransaction, repositoryId: string, sha: Sha): Promise<readonly string[]> {
    const rows = await tx.query<{ readonly id: string }>(
      `select id from release where repository_id = $1 and $2 = any(candidate_shas) and shipped_at is null
         and deleted_at is null order by id`,
      [repositoryId, sha],
    );
    return rows.map(({ id }) => id);
  }

  /** Locks every release of the repository with a candidate. All callers lock in the same order. */
  async lockDeployable(tx: TenantTransaction, repositoryId: string): Promise<void> {
    await tx.query(
      `select 1 from release where repository_id = $1 and candidate_sha is not null and deleted_at is null
       order by id for no key update`,
      [repositoryId],
    );
  }

  /**
   * Lists the releases of the repository with a candidate, releases that are not shipped first. They are locked until the
   * transaction ends.
   */
  async listDeployable(tx: TenantTransaction, repositoryId: string): Promise<readonly DeployableRelease[]> {
    // A separate statement takes the locks: a statement that waits for a lock sees joined rows as they were before the wait.
    await this.lockDeployable(tx, repositoryId);
    return tx.query<DeployableRelease>(
      `select r.id, r.version, r.candidate_sha as "candidateSha", r.candidate_shas as "candidateShas", r.hotfix,
         r.shipped_at as "shippedAt",
         coalesce((select min(t.at) from stage_transition t where t.release_id = r.id and t.to_stage <> 'PLANNING'),
           r.created_at) as "startedAt"
       from release r
       where r.repository_id = $1 and r.candidate_sha is not null and r.deleted_at is null
       order by r.shipped_at desc nulls first, r.id`,
      [repositoryId],
    );
  }

  /**
   * Whether a release that was deployed later than this one was already deployed when the given deployment began. The order is
   * the order of the deployments, also for those that were reported late or recorded manually.
   */
  async wasSuperseded(tx: TenantTransaction, repositoryId: string, releaseId: string, began: Date): Promise<boolean> {
    const rows = await tx.query(
      `with shipped as (
         select h.release_id, coalesce(d.began_at, s.received_at, h.deployed_at) as at
         from deployment_record h
         left join deployment d on d.repository_id = h.repository_id and d.github_id = h.deployment_github_id
         left join deployment_report s on s.deployment_id = h.reported_deployment_id and s.status = 'started'
         where h.repository_id = $1 and h.kind in ('release', 'hotfix'))
       select 1 from shipped own join shipped later on later.at > own.at
       where own.release_id = $2 and later.at < $3 limit 1`,
      [repositoryId, releaseId, began],
    );
    return rows.length > 0;
  }

  /** Returns the last decision before the end of the moment, and whether its gate was open then. */
  async decisionAt(tx: TenantTransaction, releaseId: string, moment: Moment): Promise<EarlierDecision | null> {
    const [decision] = await tx.query<EarlierDecision>(
      `select id, open, candidate_sha as "candidateSha", verdict -> 'candidateShas' as "candidateShas",
         coalesce(verdict -> 'overrides', '[]') as overrides from decision
       where release_id = $1 and at < $2 order by sequence desc limit 1`,
      [releaseId, moment.latest],
    );
    if (!decision) return null;
    const { id, candidateSha } = decision;
    const confirmations = await this.listConfirmations(tx, releaseId, moment);
    const open =
      decision.open &&
      candidateSha !== null &&
      // Without a confirmation the decision may not have been in effect.
      confirmations.at(-1)?.decisionId === id &&
      wasGateOpen(confirmations, candidateSha, moment);
    return { ...decision, open };
  }

  /**
   * Returns the release and the decision with which the service approved the deployment that waited for the protection rule; null
   * if it did not approve it. The deployment existed when the verdict was sent and began afterwards. A deployment that a delivery
   * named belongs to its own hold only.
   */
  async findApproval(
    tx: TenantTransaction,
    repositoryId: string,
    { githubId, sha, environment }: DeploymentFact,
    { created, began }: { readonly created: Moment; readonly began: Moment },
  ): Promise<{ readonly releaseId: string; readonly decision: EarlierDecision } | null> {
    const [row] = await tx.query<Omit<EarlierDecision, 'open'> & { readonly releaseId: string }>(
      `select h.release_id as "releaseId", d.id, d.candidate_sha as "candidateSha",
         coalesce(d.verdict -> 'candidateShas', '[]') as "candidateShas", coalesce(d.verdict -> 'overrides', '[]') as overrides
       from deployment_hold h join decision d on d.id = h.decision_id
       -- An approval for an environment before the target may rest on a closed gate, and the target may have changed since.
       where h.repository_id = $1 and h.state = 'approved' and d.open and h.sha = $2 and lower(h.environment) = lower($3)
         and h.sent_at >= $4 and h.sent_at < $5
         and ($6::bigint = any(h.deployment_github_ids) or not exists (
           select from deployment_hold other where other.repository_id = $1 and other.id <> h.id
             and $6::bigint = any(other.deployment_github_ids)))
       order by h.sent_at desc limit 1`,
      [repositoryId, sha, environment, created.earliest, began.latest, githubId],
    );
    if (!row) return null;
    const { releaseId, ...decision } = row;
    return { releaseId, decision: { ...decision, open: true } };
  }

  /** Lists the gate confirmations in effect at some time within the moment, in the order of their creation. */
  private async listConfirmations(
    tx: TenantTransaction,
    releaseId: string,
    { earliest, latest }: Moment,
  ): Promise<readonly GateConfirmation[]> {
    return tx.query<GateConfirmation>(
      `select c.decision_id as "decisionId", d.candidate_sha as "candidateSha", c.confirmed_at as at, c.open_until as "openUntil"
       from gate_confirmation c join decision d on d.id = c.decision_id
       where c.release_id = $1 and c.confirmed_at < $3 and c.id >= coalesce(
         (select max(before.id) from gate_confirmation before where before.release_id = $1 and before.confirmed_at <= $2), 0)
       order by c.id`,
      [releaseId, earliest, latest],
    );
  }

  /** Lists the releases that were invalidated before the given time and not evaluated since. */
  async listInvalidated(tx: TenantTransaction, repositoryId: string, before: Date): Promise<readonly string[]> {
    const rows = await tx.query<{ readonly id: string }>(
      `select id from release where repository_id = $1 and invalidated_at < $2 and shipped_at is null and deleted_at is null
       order by id`,
      [repositoryId, before],
    );
    return rows.map(({ id }) => id);
  }

  /** Whether GitHub reported a deployment of one of the commits that ran at the given time, by GitHub's clock. */
  async wasReportedByGitHub(
    tx: TenantTransaction,
    repositoryId: string,
    { shas, environment, at }: { readonly shas: readonly Sha[]; readonly environment: string; readonly at: Date },
  ): Promise<boolean> {
    const rows = await tx.query(
      `select 1 from deployment where repository_id = $1 and sha = any($2) and lower(environment) = lower($3)
         and $4 between began_at and succeeded_at limit 1`,
      [repositoryId, shas, environment, at],
    );
    return rows.length > 0;
  }

  /** Lists the freezes of the policy that the decision used. */
  async listFreezesByDecision(tx: TenantTransaction, decisionId: string): Promise<readonly Freeze[]> {
    const rows = await tx.query<{ readonly named: Freeze }>(
      `select named.value as named from decision d
       cross join jsonb_array_elements(d.inputs -> 'observations') as seen (fact)
       cross join jsonb_array_elements(seen.fact -> 'value' -> 'policy' -> 'freezes') as named (value)
       where d.id = $1 and seen.fact ->> 'kind' = 'policy'`,
      [decisionId],
    );
    return rows.map(({ named }) => named);
  }

  /** Returns the id of the record; null if the history already has this deployment. */
  async addToHistory(tx: TenantTransaction, entry: HistoryEntry, now: Date): Promise<string | null> {
    const { source } = entry;
    const [row] = await tx.query<{ readonly id: string }>(
      `insert into deployment_record (org_id, id, repository_id, release_id, version, kind, commit_sha, environment,
         deployment_github_id, deployed_at, deployed_by, approvers, decision_id, lead_time_seconds, recorded_at,
         overrides, recorded_by, note, reported_deployment_id, scope, score)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
         -- A record that ships a release contains its scope, which may not change from now on.
         (select o.value from release r join observation o on o.repository_id = r.repository_id and o.kind = 'issues'
            and o.key = r.milestone_number::text where r.id = $4 and $6 in ('release', 'hotfix')),
         -- A rollback has the score with which the release was shipped. A release that was never shipped has no score.
         (select (r.shipped_scorecard ->> 'score')::numeric from release r where r.id = $4))
       on conflict do nothing returning id`,
      [
        tx.orgId,
        randomUUID(),
        entry.repositoryId,
        entry.releaseId,
        entry.version,
        entry.kind,
        entry.commitSha,
        entry.environment,
        'deploymentGithubId' in source ? source.deploymentGithubId : null,
        entry.deployedAt,
        entry.deployedBy,
        JSON.stringify(entry.approvers),
        entry.decisionId,
        entry.leadTimeSeconds,
        now,
        JSON.stringify(entry.overrides),
        'recordedBy' in source ? source.recordedBy : null,
        'recordedBy' in source ? source.note : null,
        'reportedDeploymentId' in source ? source.reportedDeploymentId : null,
      ],
    );
    return row?.id ?? null;
  }

  /**
   * Lists the deployments that the history lacks, since the repository was added, oldest first. Times are rounded down, because
   * GitHub reports whole seconds.
   */
  async listUnsettled(
    tx: TenantTransaction,
    repositoryId: string,
    deployments: readonly DeploymentFact[],
  ): Promise<readonly number[]> {
    const rows = await tx.query<{ readonly id: string }>(
      `select seen.id from unnest($2::bigint[], $3::timestamptz[]) as seen (id, began)
       where seen.began >= (select date_trunc('second', created_at) from repository where id = $1) and not exists (
         select 1 from deployment_record known where known.repository_id = $1 and known.deployment_github_id = seen.id)
       order by seen.began, seen.id`,
      [repositoryId, deployments.map(({ githubId }) => githubId), deployments.map(({ beganAt }) => beganAt)],
    );
    return rows.map(({ id }) => Number(id));
  }

  /** Whether the history has a record of the deployment, by either id. */
  async isRecorded(
    tx: TenantTransaction,
    repositoryId: string,
    { deploymentGithubId, reportedDeploymentId }: Exclude<HistorySource, { readonly recordedBy: number }>,
  ): Promise<boolean> {
    const rows = await tx.query(
      `select 1 from deployment_record where repository_id = $1
         and (deployment_github_id = $2 or reported_deployment_id = $3) limit 1`,
      [repositoryId, deploymentGithubId, reportedDeploymentId],
    );
    return rows.length > 0;
  }
}
