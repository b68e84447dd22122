import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../database/database.js';
import type { JsonObject } from '../../domain/audit/canonical-json.js';

/** A report of the release. Its digest names its file in the pack. */
export interface IndexedReport {
  readonly id: string;
  readonly evidenceId: string;
  readonly sha256: string;
  readonly size: number;
}

/** A provenance bundle of the release. Its digest names its file in the pack. */
interface IndexedBundle {
  readonly artifactId: string;
  readonly sha256: string;
  readonly size: number;
}

/** A file of an evidence pull request. */
interface IndexedFile {
  readonly pullNumber: number;
  readonly name: string;
  readonly content: string;
}

/**
 * Everything that belongs to a release at one time. Values that can change later are complete here. Append-only records are listed
 * by id: they are read one by one afterwards and still belong to that time.
 */
export interface PackIndex {
  readonly release: JsonObject & { readonly org: string; readonly repo: string; readonly version: string };
  readonly policy: JsonObject | null;
  readonly transitions: readonly JsonObject[];
  readonly waivers: readonly JsonObject[];
  readonly breakGlasses: readonly JsonObject[];
  readonly pulls: readonly (JsonObject & { readonly number: number })[];
  readonly history: readonly JsonObject[];
  readonly auditLog: readonly JsonObject[];
  readonly evidenceIds: readonly string[];
  readonly decisionIds: readonly string[];
  readonly reports: readonly IndexedReport[];
  readonly files: readonly IndexedFile[];
  readonly artifacts: readonly JsonObject[];
  readonly bundles: readonly IndexedBundle[];
}

/** SQL that formats a timestamp as `Date.toISOString` does. */
const timestamp = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const all = (json: string, from: string, order: string): string =>
  `(select coalesce(jsonb_agg(${json} order by ${order}), '[]') from ${from})`;

const OVERRIDE_MEMBERS = `
  'reason', reason, 'candidateSha', candidate, 'requestedBy', requested_by_login, 'requestedById', requested_by,
  'requestedAt', ${timestamp('requested_at')}, 'confirmedBy', confirmed_by_login, 'confirmedById', confirmed_by,
  'confirmedAt', ${timestamp('confirmed_at')}, 'withdrawnById', withdrawn_by, 'withdrawnAt', ${timestamp('withdrawn_at')},
  'expiresAt', ${timestamp('expires_at')}`;

/** One statement, so that everything is of the same snapshot. */
const INDEX = `
  select
    jsonb_build_object(
      'milestoneId', r.id, 'org', o.login, 'orgGithubId', o.github_id, 'repo', p.name, 'repoGithubId', p.github_id,
      'version', r.version, 'title', r.title, 'milestoneNumber', r.milestone_number, 'milestoneUrl', r.milestone_url,
      'stage', r.stage, 'candidateSha', r.candidate_sha, 'hotfix', r.hotfix, 'unmet', r.unmet, 'blocking', r.milestone_reasons,
      'warnings', r.warnings, 'testsPassing', r.tests_passing, 'evidenceApproved', r.evidence_approved,
      'startedAt', ${timestamp('r.started_at')}, 'startedBy', r.started_by, 'cancelledAt', ${timestamp('r.cancelled_at')},
      'shippedAt', ${timestamp('r.shipped_at')}, 'shipped', r.shipped, 'evaluatedAt', ${timestamp('r.evaluated_at')},
      'createdAt', ${timestamp('r.created_at')}, 'updatedAt', ${timestamp('r.updated_at')}) as release,
    (select jsonb_build_object('observedAt', ${timestamp('observed_at')}, 'policy', value)
     from observation where repository_id = r.repository_id and kind = 'policy' and key = '') as policy,
    ${all(
      `jsonb_build_object('from', from_stage, 'to', to_stage, 'cause', cause, 'actor', actor, 'at', ${timestamp('at')},
         'inputDigest', input_digest)`,
      'stage_transition where release_id = r.id',
      'id',
    )} as transitions,
    ${all(
      `jsonb_build_object('id', id, 'condition', condition, 'details', details, ${OVERRIDE_MEMBERS})`,
      '(select *, candidate_sha as candidate from waiver) w where release_id = r.id',
      'requested_at, id',
    )} as waivers,
    ${all(
      `jsonb_build_object('id', id, ${OVERRIDE_MEMBERS})`,
      '(select *, commit_sha as candidate from break_glass_request) b where release_id = r.id',
      'requested_at, id',
    )} as "breakGlasses",
    ${all(
      `jsonb_build_object('number', e.number, 'url', e.url, 'branch', e.branch, 'baseRef', e.base_ref,
         'headSha', e.head_sha, 'commitShas', e.commit_shas, 'files', e.files, 'candidateSha', e.candidate_sha,
         'setDigest', e.evidence_set_digest, 'mergeApproval', e.merge_approval, 'openedAt', ${timestamp('e.opened_at')},
         'updatedAt', ${timestamp('e.updated_at')}, 'abandonedAt', ${timestamp('e.abandoned_at')},
         'observed', (select jsonb_object_agg(n.kind, jsonb_build_object(
            'observedAt', ${timestamp('n.observed_at')}, 'value', n.value))
          from observation n where n.repository_id = e.repository_id and n.kind in ('pull', 'reviews')
            and n.key = e.number::text))`,
      'evidence_pull_request e where e.release_id = r.id',
      'e.number',
    )} as pulls,
    ${all(
      `jsonb_build_object('id', id, 'kind', kind, 'version', version, 'commitSha', commit_sha,
         'environment', environment, 'deploymentGithubId', deployment_github_id, 'deployedAt', ${timestamp('deployed_at')},
         'deployedBy', deployed_by, 'approvers', approvers, 'decisionId', decision_id, 'leadTimeSeconds', lead_time_seconds,
         'overrides', overrides, 'scope', scope, 'recordedBy', recorded_by, 'note', note,
         'recordedAt', ${timestamp('recorded_at')}, 'reportedDeploymentId', reported_deployment_id, 'reports', ${all(
           `jsonb_build_object('status', c.status, 'receivedAt', ${timestamp('c.received_at')}, 'statedAt', ${timestamp('c.stated_at')},
              'reportedBy', c.reported_by, 'runUrl', c.run_url, 'canDeploy', c.can_deploy, 'decisionId', c.decision_id)`,
           'deployment_report c where c.deployment_id = reported_deployment_id',
           'c.id',
         )})`,
      'deployment_record where release_id = r.id',
      'deployed_at, id',
    )} as history,
    ${all(
      `jsonb_build_object('sequence', sequence, 'id', id, 'at', ${timestamp('at')}, 'actor', actor, 'action', action,
         'subject', subject, 'data', data, 'previousHash', previous_hash, 'hash', hash)`,
      `audit_entry where data ->> 'milestoneId' = r.id::text`,
      'sequence',
    )} as "auditLog",
    array(select id from evidence where release_id = r.id order by sequence) as "evidenceIds",
    array(select id from decision where release_id = r.id order by sequence) as "decisionIds",
    ${all(
      `jsonb_build_object('id', f.id, 'evidenceId', f.evidence_id, 'sha256', f.sha256, 'size', f.size)`,
      `evidence_report f join evidence e on e.id = f.evidence_id join report_content c on c.sha256 = f.sha256
       where e.release_id = r.id and c.removed_at is null`,
      'e.sequence, f.id',
    )} as reports,
    ${all(
      `jsonb_build_object('pullNumber', e.number, 'name', regexp_replace(k.path, '^.*/', ''), 'content', k.content)`,
      `evidence_pull_request e cross join jsonb_to_recordset(e.files) as placed (path text, "blobSha" text)
       join published_evidence k on k.release_id = r.id and k.path = placed.path and k.blob_sha = placed."blobSha"
       where e.release_id = r.id`,
      'e.number, k.path',
    )} as files,
    ${all(
      `jsonb_build_object('id', a.id, 'name', a.name, 'digest', a.digest, 'commitSha', a.commit_sha,
         'commitSource', a.commit_source, 'runId', a.run_id, 'statedBy', a.stated_by, 'binding', a.binding,
         'receivedAt', ${timestamp('a.received_at')},
         'bundles', ${all(
           `jsonb_build_object('sha256', b.sha256, 'size', octet_length(b.bytes), 'status', b.status, 'reason', b.reason,
              'provenance', b.provenance, 'verifiedAt', ${timestamp('b.verified_at')})`,
           'artifact_bundle b where b.artifact_id = a.id',
           'b.received_at, b.sha256',
         )})`,
      'artifact a where a.release_id = r.id',
      'a.sequence',
    )} as artifacts,
    ${all(
      `jsonb_build_object('artifactId', a.id, 'sha256', b.sha256, 'size', octet_length(b.bytes))`,
      `artifact_bundle b join artifact a on a.id = b.artifact_id where a.release_id = r.id and b.bytes is not null`,
      'a.sequence, b.sha256',
    )} as bundles
  from release r
  join repository p on p.id = r.repository_id
  join organization o on o.org_id = r.org_id
  where r.id = $1 and r.deleted_at is null`;

/** Reads the contents of an audit pack: the index at one time, and then single records that never change. */
@Injectable()
export class AuditPackQueries {
  /** Returns null if the viewer can read no such release. */
  async findIndex(tx: TenantTransaction, releaseId: string): Promise<PackIndex | null> {
    const [row] = await tx.query<PackIndex>(INDEX, [releaseId]);
    return row ?? null;
  }

  /** Returns one upload with the summaries of its reports. */
  async findEvidence(tx: TenantTransaction, id: string): Promise<JsonObject | null> {
    const [row] = await tx.query<{ readonly record: JsonObject }>(
      `select jsonb_build_object(
         'id', id, 'pipeline', pipeline, 'environment', environment, 'job', job, 'runId', run_id,
         'runAttempt', run_attempt, 'runUrl', run_url, 'commitSha', commit_sha, 'commitSource', commit_source,
         'uploadedBy', uploaded_by, 'pieces', items, 'metrics', metrics, 'flags', flags, 'sha256', sha256,
         'receivedAt', ${timestamp('received_at')},
         'reports', (select coalesce(jsonb_agg(jsonb_build_object(
            'id', f.id, 'name', f.name, 'format', f.format, 'sha256', f.sha256, 'size', f.size, 'summary', f.summary,
            'removedAt', (select ${timestamp('c.removed_at')} from report_content c where c.sha256 = f.sha256))
            order by f.id), '[]')
          from evidence_report f where f.evidence_id = evidence.id)) as record
       from evidence where id = $1`,
      [id],
    );
    return row?.record ?? null;
  }

  /** Returns the digest of a report, or null if the viewer cannot read it. */
  async findReportDigest(tx: TenantTransaction, id: string): Promise<string | null> {
    const [row] = await tx.query<{ readonly sha256: string }>('select sha256 from evidence_report where id = $1', [id]);
    return row?.sha256 ?? null;
  }

  /** Returns the bytes of a bundle, or null if the viewer cannot read them. */
  async findBundle(tx: TenantTransaction, artifactId: string, sha256: string): Promise<Buffer | null> {
    const [row] = await tx.query<{ readonly bytes: Buffer | null }>(
      'select bytes from artifact_bundle where artifact_id = $1 and sha256 = $2',
      [artifactId, sha256],
    );
    return row?.bytes ?? null;
  }

  /** Returns one decision with its inputs. */
  async findDecision(tx: TenantTransaction, id: string): Promise<JsonObject | null> {
    const [row] = await tx.query<{ readonly record: JsonObject }>(
      `select jsonb_build_object(
         'id', id, 'at', ${timestamp('at')}, 'open', open, 'candidateSha', candidate_sha,
         'policyDigest', policy_digest, 'verdict', verdict, 'inputs', inputs) as record
       from decision where id = $1`,
      [id],
    );
    return row?.record ?? null;
  }
}
