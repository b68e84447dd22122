import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import type { TenantTransaction } from '../../database/database.js';
import { runUrlIn } from '../releases/evaluation/verdict-inputs.queries.js';
import type { RecordedEvidenceDto, RecordedPullDto, RecordedRequestDto } from './approval-record.dto.js';

const MAX_UPLOADS = 100;
const MAX_FILES = 50;
const MAX_OVERRIDES = 100;
const MAX_PULLS = 20;
const MAX_DEPLOYMENTS = 50;

const REQUEST_COLUMNS = `reason, requested_by_login as "requestedBy", requested_at as "requestedAt",
  confirmed_by_login as "confirmedBy", confirmed_at as "confirmedAt", withdrawn_at as "withdrawnAt", expires_at as "expiresAt"`;

/** The evidence that a decision used. */
interface DecidingEvidence {
  readonly evidence: readonly RecordedEvidenceDto[];
  readonly moreEvidence: number;
}

/** Reads what the decision about a release rests on. */
@Injectable()
export class ApprovalRecordQueries {
  constructor(@Inject(ENVIRONMENT) private readonly environment: Environment) {}

  /** Returns the decision by which the release shipped, otherwise the newest one; null before the first. */
  async findDecisionId(tx: TenantTransaction, releaseId: string): Promise<string | null> {
    const [row] = await tx.query<{ readonly id: string | null }>(
      `select coalesce(
         (select decision_id from deployment_record where release_id = $1 and kind in ('release', 'hotfix')
          order by deployed_at, id limit 1),
         (select id from decision where release_id = $1 order by sequence desc limit 1)) as id`,
      [releaseId],
    );
    return row?.id ?? null;
  }

  /** Lists the uploads in the set of evidence of a decision, with their files. A decision stores that set with its verdict. */
  async listEvidence(tx: TenantTransaction, decisionId: string): Promise<DecidingEvidence> {
    const rows = await tx.query<RecordedEvidenceDto & { readonly total: number }>(
      `with used as (
         select split_part(item ->> 'id', '/', 1)::uuid as id, array_agg(item ->> 'kind' order by item ->> 'kind') as types,
           jsonb_object_agg(item ->> 'kind', item -> 'metrics' -> (item ->> 'kind')) as metrics
         from decision d cross join jsonb_path_query(d.verdict, '$.evidenceSet[*].items[*]') as item
         where d.id = $1 group by 1
       )
       select e.id as "evidenceId", used.types, jsonb_strip_nulls(used.metrics) as metrics, e.pipeline, e.environment,
         nullif(e.job, '') as job, ${runUrlIn('$2')} as "runUrl", e.commit_sha as "commitSha",
         e.uploaded_by ->> 'kind' as "uploadedBy", e.sha256, e.received_at as "createdAt", files.list as files,
         greatest(files.count - ${MAX_FILES}, 0) as "moreFiles", count(*) over ()::int as total
       from used join evidence e on e.id = used.id
       join repository p on p.org_id = e.org_id and p.id = e.repository_id
       join organization o on o.org_id = e.org_id
       cross join lateral (
         select coalesce(jsonb_agg(jsonb_build_object('name', f.name, 'size', f.size, 'sha256', f.sha256) order by f.at)
             filter (where f.at <= ${MAX_FILES}), '[]') as list, count(*)::int as count
         from (select name, size, sha256, row_number() over (order by position, id) as at
               from evidence_report where evidence_id = e.id) f
       ) files
       order by e.sequence limit ${MAX_UPLOADS}`,
      [decisionId, this.environment.githubUrl],
    );
    const evidence: RecordedEvidenceDto[] = [];
    let found = 0;
    for (const { total, ...upload } of rows) {
      found = total;
      evidence.push(upload);
    }
    return { evidence, moreEvidence: found - evidence.length };
  }

  /** Lists the newest waivers and break-glass requests of a release, also ended and withdrawn ones, oldest first. */
  async listOverrides(
    tx: TenantTransaction,
    releaseId: string,
    usedIds: readonly string[],
  ): Promise<readonly RecordedRequestDto[]> {
    const rows = await tx.query<RecordedRequestDto>(
      `select 'waiver' as kind, id, id = any($2::uuid[]) as used, details, candidate_sha as sha, ${REQUEST_COLUMNS}
       from waiver where release_id = $1
       union all
       select 'break_glass', id, id = any($2::uuid[]), '{}', commit_sha, ${REQUEST_COLUMNS}
       from break_glass_request where release_id = $1
       order by "requestedAt" desc, id limit ${MAX_OVERRIDES}`,
      [releaseId, usedIds],
    );
    return rows.toReversed();
  }

  /** Lists the newest evidence pull requests of a release with their published files, oldest first. */
  async listPulls(
    tx: TenantTransaction,
    releaseId: string,
    setDigest: string | null,
  ): Promise<readonly RecordedPullDto[]> {
    const rows = await tx.query<RecordedPullDto>(
      `select e.number, e.url, e.opened_at as "openedAt", e.head_sha as "headSha", e.evidence_set_digest as "setDigest",
         coalesce(e.evidence_set_digest = $2, false) as "ofDecision", documents.list as documents
       from evidence_pull_request e cross join lateral (
         select coalesce(jsonb_agg(jsonb_build_object('path', k.path,
             'sha256', encode(sha256(convert_to(k.content, 'UTF8')), 'hex'),
             'signature', case when k.path like '%/evidence.json' then k.content::jsonb -> 'signature' end) order by k.path), '[]') as list
         from jsonb_to_recordset(e.files) as placed (path text, "blobSha" text)
         join published_evidence k on k.release_id = e.release_id and k.path = placed.path and k.blob_sha = placed."blobSha"
       ) documents
       where e.release_id = $1 order by e.opened_at desc, e.number desc limit ${MAX_PULLS}`,
      [releaseId, setDigest],
    );
    return rows.toReversed();
  }

  /** Lists the ids of the newest deployments of a release, oldest first. */
  async listDeploymentIds(tx: TenantTransaction, releaseId: string): Promise<readonly string[]> {
    const rows = await tx.query<{ readonly id: string }>(
      `select id from deployment_record where release_id = $1 order by deployed_at desc, id limit ${MAX_DEPLOYMENTS}`,
      [releaseId],
    );
    return rows.map(({ id }) => id).toReversed();
  }
}
