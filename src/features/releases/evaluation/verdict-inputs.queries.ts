import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../../config/environment.js';
import type { TenantTransaction } from '../../../database/database.js';
import type { Artifact } from '../../../domain/artifact/artifact.js';
import { type EvidenceItem, evidenceItemId, type IdentifiedFailuresByKind } from '../../../domain/evidence/evidence.js';
import type { RunCoverage } from '../../../domain/evidence/run-coverage.js';
import { LONGEST_DEPLOYMENT_MS } from '../../../domain/history/reported-deployment.js';
import type { OverrideRequest, ReleaseOverrides } from '../../../domain/override/override.js';
import type { Freeze } from '../../../domain/policy/policy.js';
import { MAX_REPORTED_CHANGES, type ReportedChange } from '../../../domain/release/environment-soak.js';
import type { Stored } from '../../../domain/release/replay.js';

/** An upload as its evidence items are built from it. */
export interface UploadWithItems {
  readonly id: string;
  readonly pipeline: string;
  readonly environment: string;
  /** The name of the job; null if it is not known. */
  readonly job: string | null;
  readonly runId: string | null;
  readonly proven: boolean;
  readonly attempt: number;
  readonly checkRunId: number | null;
  readonly jobGroup: string | null;
  readonly jobTotal: number | null;
  readonly commitSha: string;
  readonly items: readonly Pick<EvidenceItem, 'kind' | 'metrics' | 'failures' | 'content'>[];
  readonly sha256: string;
  readonly receivedAt: Date;
  /** Only where a verdict is derived. Lists do not need it. */
  readonly identified?: IdentifiedFailuresByKind | null;
}

/**
 * The columns of `evidence e` from which its items are built, without the items and the time of receipt. GitHub's name of a job
 * has priority over the name in the upload. The name in the upload counts if no token proves the job and GitHub does not list the
 * jobs.
 */
export const EVIDENCE_COLUMNS = `e.id, e.pipeline, e.environment, e.uploaded_by ->> 'kind' = 'identity_token' as proven,
  e.run_id as "runId", e.run_attempt::float8 as attempt, e.check_run_id::float8 as "checkRunId",
  coalesce(
    case when e.check_run_id is not null then (
      select j.name from workflow_job j where j.repository_id = e.repository_id and j.id = e.check_run_id) end,
    case when e.check_run_id is null or not (select o.reads_actions from organization o) then e.stated_job end) as job,
  e.job_group as "jobGroup", e.job_total as "jobTotal", e.commit_sha as "commitSha", e.sha256`;

/**
 * SQL for the URL of the run of an upload. For a run that a token proved it is the URL at GitHub, regardless of the URL in the
 * upload. `github` is GitHub's base URL; `e`, `o` and `p` are the rows of the evidence, its organization and its repository.
 */
export const runUrlIn = (github: string): string => `case when e.uploaded_by->>'kind' = 'identity_token'
  then ${github} || '/' || o.login || '/' || p.name || '/actions/runs/' || e.run_id || '/attempts/' || e.run_attempt
  else e.run_url end`;

/** Converts one upload to its evidence items, for verdicts and lists. */
export const toEvidenceItems = (row: UploadWithItems): readonly EvidenceItem[] =>
  // Each member is copied by name: spreading an object takes three times the memory, and lists hold thousands.
  row.items.map(({ kind, metrics, failures, content }) => ({
    kind,
    metrics,
    failures,
    content,
    ...(row.identified?.[kind] && { identified: row.identified[kind] }),
    id: evidenceItemId(row.id, kind),
    pipeline: row.pipeline,
    environment: row.environment,
    run: row.runId === null ? null : { id: row.runId, proven: row.proven },
    attempt: row.attempt,
    job: row.job,
    checkRunId: row.checkRunId,
    jobGroup: row.jobGroup === null || row.jobTotal === null ? null : { name: row.jobGroup, total: row.jobTotal },
    commitSha: row.commitSha,
    sha256: row.sha256,
    receivedAt: row.receivedAt,
  }));

const OVERRIDE = `'id', id, 'reason', reason,
  'requestedBy', jsonb_build_object('id', requested_by, 'login', requested_by_login),
  'confirmedBy', case when confirmed_by is not null then
    jsonb_build_object('id', confirmed_by, 'login', confirmed_by_login) end,
  'confirmedAt', confirmed_at, 'expiresAt', expires_at`;
const STANDS = `release_id = $1 and confirmed_at is not null and withdrawn_at is null and expires_at > $2`;
const FREEZES = `coalesce(jsonb_agg(jsonb_build_object('id', id, 'from', from_day, 'to', to_day, 'reason', reason)
  order by from_day, to_day, id), '[]')`;

/**
 * SQL for the freezes that were made and not lifted at a time, as one value. Their days may be over or not begun. `at` and `condition` are SQL
 * expressions.
 */
export const unliftedFreezesSql = (at: string, condition = 'true'): string => `(select ${FREEZES} from deployment_freeze
  where made_at <= ${at} and (lifted_at is null or lifted_at > ${at}) and ${condition})`;

/** SQL for the coverage of the runs of a release, as one value. `releaseId` is an SQL expression. */
export const runCoveragesSql = (releaseId: string): string => `(
  select coalesce(jsonb_agg(jsonb_build_object('evidenceIds', evidence_ids, 'lines', case when total is not null
    then jsonb_build_object('covered', covered, 'total', total) end) order by digest), '[]')
  from run_coverage where release_id = ${releaseId})`;

/** Reads the evidence of a release and the decisions of admins that a verdict uses. */
@Injectable()
export class VerdictInputsQueries {
  constructor(@Inject(ENVIRONMENT) private readonly environment: Environment) {}

  /** Lists all evidence of the release, in the order of receipt. */
  async listEvidence(tx: TenantTransaction, releaseId: string): Promise<readonly EvidenceItem[]> {
    const rows = await tx.queryPrepared<UploadWithItems>(
      'list_evidence_with_failures',
      `select ${EVIDENCE_COLUMNS}, e.items, e.received_at as "receivedAt",
         e.identified_failures as identified from evidence e
       where e.release_id = $1 order by e.sequence`,
      [releaseId],
    );
    return rows.flatMap(toEvidenceItems);
  }

  /** Lists the coverage of the runs of the release whose uploads were united. */
  async listRunCoverages(tx: TenantTransaction, releaseId: string): Promise<readonly RunCoverage[]> {
    const [row] = await tx.queryPrepared<{ readonly coverages: readonly RunCoverage[] }>(
      'list_run_coverages',
      `select ${runCoveragesSql('$1')} as coverages`,
      [releaseId],
    );
    return row?.coverages ?? [];
  }

  /** Lists the artifacts of the release with the results of their bundles, in the order of receipt. */
  async listArtifacts(tx: TenantTransaction, releaseId: string): Promise<readonly Artifact[]> {
    return tx.queryPrepared<Artifact>(
      'list_release_artifacts',
      `select a.id, a.name, a.digest, a.commit_sha as "commitSha", a.commit_source as "commitSource", a.run_id as "runId",
         a.received_at as "receivedAt", (
           select coalesce(jsonb_agg(jsonb_build_object('sha256', b.sha256, 'status', b.status, 'reason', b.reason,
             'provenance', b.provenance) order by b.received_at, b.sha256), '[]')
           from artifact_bundle b where b.artifact_id = a.id) as bundles
       from artifact a where a.release_id = $1 order by a.sequence`,
      [releaseId],
    );
  }

  /**
   * Lists the latest reported changes of environments of a repository. Their names are in lower case. A late success has no start, and a
   * deployment without an end may have succeeded. If it deployed other bytes than those of its commit, its commit is not known. A run
   * proves the deployment of its own commit only. If the start named a release, the report was taken because the commit of the run was
   * equivalent.
   */
  async listReportedChanges(
    tx: TenantTransaction,
    repositoryId: string,
    environments: readonly string[],
    now: Date,
  ): Promise<readonly ReportedChange[]> {
    const rows = await tx.queryPrepared<
      Omit<ReportedChange, 'startedAt' | 'endedAt'> & { readonly startedAt: Date | null; readonly endedAt: Date }
    >(
      'list_reported_changes',
      `select change.* from unnest($2::text[]) as wanted (environment) cross join lateral (
         select d.id, wanted.environment,
           case when not coalesce(s.has_other_bytes or e.has_other_bytes, false) then d.commit_sha end as "commitSha",
           case when e.received_at < coalesce(u.received_at, s.received_at + $4::interval)
             and (coalesce(s.reported_by ->> 'sha', d.commit_sha) = d.commit_sha
               or s.release_id is not null and (s.can_deploy or not s.at_target))
             and coalesce(e.reported_by ->> 'sha', d.commit_sha) in (d.commit_sha, s.reported_by ->> 'sha')
             then s.received_at end as "startedAt",
           coalesce(e.received_at, u.received_at, s.received_at + $4::interval) as "endedAt"
         from reported_deployment d
         left join deployment_report s on s.deployment_id = d.id and s.status = 'started'
         left join deployment_report u on u.deployment_id = d.id and u.status = 'unknown'
         left join deployment_report e on e.deployment_id = d.id and e.status in ('succeeded', 'failed', 'cancelled')
         where d.repository_id = $1 and lower(d.environment) = wanted.environment
           and (e.status = 'succeeded' or e.id is null and coalesce(u.received_at, s.received_at + $4::interval) <= $3)
         order by 5 desc, d.id limit $5) change
       order by wanted.environment, change."endedAt" desc, change.id`,
      [repositoryId, environments, now, `${LONGEST_DEPLOYMENT_MS} milliseconds`, MAX_REPORTED_CHANGES],
    );
    return rows.map(({ startedAt, endedAt, ...change }) => ({
      ...change,
      startedAt: startedAt && startedAt.getTime(),
      endedAt: endedAt.getTime(),
    }));
  }

  /** Returns the URL of the run of each evidence item, by item id. */
  async runUrls(tx: TenantTransaction, releaseId: string): Promise<ReadonlyMap<string, string>> {
    const rows = await tx.query<Pick<UploadWithItems, 'id' | 'items'> & { readonly runUrl: string }>(
      `select e.id, e.items, ${runUrlIn('$2')} as "runUrl"
       from evidence e
       join repository p on p.org_id = e.org_id and p.id = e.repository_id
       join organization o on o.org_id = e.org_id
       where e.release_id = $1 and e.run_url is not null`,
      [releaseId, this.environment.githubUrl],
    );
    return new Map(
      rows.flatMap(({ id, items, runUrl }) => items.map(({ kind }) => [evidenceItemId(id, kind), runUrl])),
    );
  }

  /**
   * Reads the waivers and break-glass requests of the release and the freezes of the workspace that are in effect now or later.
   */
  async listOverrides(tx: TenantTransaction, releaseId: string, now: Date): Promise<ReleaseOverrides> {
    const [row] = await tx.queryPrepared<Stored<ReleaseOverrides>>(
      'list_release_overrides_with_subjects',
      `select
         (select ${FREEZES} from deployment_freeze where lifted_at is null and to_day >= ($2 at time zone 'UTC')::date) as freezes,
         (select coalesce(jsonb_agg(jsonb_build_object(${OVERRIDE}, 'condition', condition, 'subjects', subjects,
             'candidateSha', candidate_sha) order by confirmed_at, id), '[]')
           from waiver where ${STANDS}) as waivers,
         (select coalesce(jsonb_agg(jsonb_build_object(${OVERRIDE}, 'sha', commit_sha) order by confirmed_at, id), '[]')
           from break_glass_request where ${STANDS}) as "breakGlasses"`,
      [releaseId, now],
    );
    if (!row) throw new TypeError('A select of three values has a row.');
    const { freezes, waivers, breakGlasses } = row;
    return { freezes, waivers: waivers.map(withDates), breakGlasses: breakGlasses.map(withDates) };
  }

  /** Lists the freezes that were in effect at a past time, also those lifted since. */
  async listFreezesAt(tx: TenantTransaction, at: Date): Promise<readonly Freeze[]> {
    const [row] = await tx.queryPrepared<Pick<ReleaseOverrides, 'freezes'>>(
      'list_freezes_with_ids_at',
      `select ${unliftedFreezesSql('$1')} as freezes`,
      [at],
    );
    return row?.freezes ?? [];
  }
}

const withDates = <A extends Stored<OverrideRequest>>(override: A) => ({
  ...override,
  confirmedAt: override.confirmedAt === null ? null : new Date(override.confirmedAt),
  expiresAt: new Date(override.expiresAt),
});
