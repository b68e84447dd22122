import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../database/database.js';
import type { JsonObject } from '../../domain/audit/canonical-json.js';

/** A report of the release, and where in the pack its content stands. */
export interface IndexedReport {
  readonly id: string;
  readonly evidenceId: string;
  readonly sha256: string;
  readonly size: number;
}

/** What the service put into an evidence pull request. */
interface IndexedFile {
  readonly pullNumber: number;
  readonly name: string;
  readonly content: string;
}

/**
 * All that belongs to a release at one moment. What can change later is here whole; what is only ever added to is here by
 * its ids, so that it can be read one by one afterwards and is still of that moment.
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
}

/** A moment as JavaScript writes it. */
const moment = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const all = (json: string, from: string, order: string): string =>
  `(select coalesce(jsonb_agg(${json} order by ${order}), '[]') from ${from})`;

const TWO_PEOPLE = `
  'reason', reason, 'candidateSha', candidate, 'requestedBy', requested_by_login, 'requestedById', requested_by,
  'requestedAt', ${moment('requested_at')}, 'confirmedBy', confirmed_by_login, 'confirmedById', confirmed_by,
  'confirmedAt', ${moment('confirmed_at')}, 'withdrawnById', withdrawn_by, 'withdrawnAt', ${moment('withdrawn_at')},
  'expiresAt', ${moment('expires_at')}`;

/** One statement, so that all of it is of one moment. */
const INDEX = `
  select
    jsonb_build_object(
      'milestoneId', r.id, 'org', o.login, 'orgGithubId', o.github_id, 'repo', p.name, 'repoGithubId', p.github_id,
      'version', r.version, 'title', r.title, 'milestoneNumber', r.milestone_number, 'milestoneUrl', r.milestone_url,
      'stage', r.stage, 'candidateSha', r.candidate_sha, 'hotfix', r.hotfix, 'unmet', r.unmet, 'blocking', r.blocking,
      'warnings', r.warnings, 'testsPassing', r.tests_passing, 'evidenceApproved', r.evidence_approved,
      'startedAt', ${moment('r.started_at')}, 'startedBy', r.started_by, 'cancelledAt', ${moment('r.cancelled_at')},
      'shippedAt', ${moment('r.shipped_at')}, 'shipped', r.shipped, 'evaluatedAt', ${moment('r.evaluated_at')},
      'createdAt', ${moment('r.created_at')}, 'updatedAt', ${moment('r.updated_at')}) as release,
    (select jsonb_build_object('observedAt', ${moment('observed_at')}, 'policy', value)
     from observation where repository_id = r.repository_id and kind = 'policy' and key = '') as policy,
    ${all(
      `jsonb_build_object('from', from_stage, 'to', to_stage, 'cause', cause, 'actor', actor, 'at', ${moment('at')},
         'inputDigest', input_digest)`,
      'stage_transition where release_id = r.id',
      'id',
    )} as transitions,
    ${all(
      `jsonb_build_object('id', id, 'condition', condition, 'details', details, ${TWO_PEOPLE})`,
      '(select *, candidate_sha as candidate from waiver) w where release_id = r.id',
      'requested_at, id',
    )} as waivers,
    ${all(
      `jsonb_build_object('id', id, ${TWO_PEOPLE})`,
      '(select *, sha as candidate from break_glass) b where release_id = r.id',
      'requested_at, id',
    )} as "breakGlasses",
    ${all(
      `jsonb_build_object('number', e.number, 'url', e.url, 'branch', e.branch, 'baseRef', e.base_ref,
         'headSha', e.head_sha, 'commitShas', e.commit_shas, 'files', e.files, 'candidateSha', e.candidate_sha,
         'setDigest', e.set_digest, 'mergeApproval', e.merge_approval, 'openedAt', ${moment('e.opened_at')},
         'updatedAt', ${moment('e.updated_at')}, 'abandonedAt', ${moment('e.abandoned_at')},
         'observed', (select jsonb_object_agg(n.kind, jsonb_build_object(
            'observedAt', ${moment('n.observed_at')}, 'value', n.value))
          from observation n where n.repository_id = e.repository_id and n.kind in ('pull', 'reviews')
            and n.key = e.number::text))`,
      'evidence_pull e where e.release_id = r.id',
      'e.number',
    )} as pulls,
    ${all(
      `jsonb_build_object('id', id, 'kind', kind, 'version', version, 'commitSha', commit_sha,
         'environment', environment, 'deploymentGithubId', deployment_github_id, 'deployedAt', ${moment('deployed_at')},
         'deployedBy', deployed_by, 'approvers', approvers, 'decisionId', decision_id, 'leadTimeSeconds', lead_time_seconds,
         'overrides', overrides, 'scope', scope, 'recordedBy', recorded_by, 'note', note,
         'recordedAt', ${moment('recorded_at')})`,
      'history_record where release_id = r.id',
      'deployed_at, id',
    )} as history,
    ${all(
      `jsonb_build_object('sequence', sequence, 'id', id, 'at', ${moment('at')}, 'actor', actor, 'action', action,
         'subject', subject, 'data', data, 'previousHash', previous_hash, 'hash', hash)`,
      `audit_entry where data ->> 'milestoneId' = r.id::text`,
      'sequence',
    )} as "auditLog",
    array(select id from evidence where release_id = r.id order by sequence) as "evidenceIds",
    array(select id from decision where release_id = r.id order by sequence) as "decisionIds",
    ${all(
      `jsonb_build_object('id', f.id, 'evidenceId', f.evidence_id, 'sha256', f.sha256, 'size', f.size)`,
      'evidence_report f join evidence e on e.id = f.evidence_id where e.release_id = r.id',
      'e.sequence, f.id',
    )} as reports,
    ${all(
      `jsonb_build_object('pullNumber', e.number, 'name', regexp_replace(k.path, '^.*/', ''), 'content', k.content)`,
      `evidence_pull e cross join jsonb_to_recordset(e.files) as placed (path text, "blobSha" text)
       join published_evidence k on k.release_id = r.id and k.path = placed.path and k.blob_sha = placed."blobSha"
       where e.release_id = r.id`,
      'e.number, k.path',
    )} as files
  from release r
  join repository p on p.id = r.repository_id
  join organization o on o.org_id = r.org_id
  where r.id = $1 and r.deleted_at is null`;

/** Tells what an audit pack of a release has to hold. */
@Injectable()
export class AuditPackQueries {
  /** Null where whoever opened the transaction may read no such release. */
  async find(tx: TenantTransaction, releaseId: string): Promise<PackIndex | null> {
    const [row] = await tx.query<PackIndex>(INDEX, [releaseId]);
    return row ?? null;
  }
}

const MOMENT = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;

/** Reads single records of the past, each of which stands in a pack as a file of its own. */
@Injectable()
export class PackRecordsReader {
  /** What a job of CI said of the release, with what its reports came to. */
  async findEvidence(tx: TenantTransaction, id: string): Promise<JsonObject | null> {
    const [row] = await tx.query<{ readonly record: JsonObject }>(
      `select jsonb_build_object(
         'id', id, 'pipeline', pipeline, 'environment', environment, 'job', job, 'runId', run_id,
         'runAttempt', run_attempt, 'runUrl', run_url, 'commitSha', commit_sha, 'commitSource', commit_source,
         'uploadedBy', uploaded_by, 'pieces', pieces, 'metrics', metrics, 'flags', flags, 'sha256', sha256,
         'receivedAt', to_char(received_at at time zone 'UTC', ${MOMENT}),
         'reports', (select coalesce(jsonb_agg(jsonb_build_object(
            'id', f.id, 'name', f.name, 'format', f.format, 'sha256', f.sha256, 'size', f.size, 'summary', f.summary)
            order by f.id), '[]')
          from evidence_report f where f.evidence_id = evidence.id)) as record
       from evidence where id = $1`,
      [id],
    );
    return row?.record ?? null;
  }

  /** The digest of a report; null where whoever opened the transaction may not read it, or not any more. */
  async findReport(tx: TenantTransaction, id: string): Promise<string | null> {
    const [row] = await tx.query<{ readonly sha256: string }>('select sha256 from evidence_report where id = $1', [id]);
    return row?.sha256 ?? null;
  }

  /** What was decided, with all that it was derived from. */
  async findDecision(tx: TenantTransaction, id: string): Promise<JsonObject | null> {
    const [row] = await tx.query<{ readonly record: JsonObject }>(
      `select jsonb_build_object(
         'id', id, 'at', to_char(at at time zone 'UTC', ${MOMENT}), 'open', open, 'candidateSha', candidate_sha,
         'policyDigest', policy_digest, 'verdict', verdict, 'inputs', inputs) as record
       from decision where id = $1`,
      [id],
    );
    return row?.record ?? null;
  }
}
