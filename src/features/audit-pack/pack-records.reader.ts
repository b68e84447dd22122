import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import type { JsonObject } from '../../domain/audit/canonical-json.js';

const MOMENT = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;

/** Reads single records of the past, each of which stands in a pack as a file of its own. */
@Injectable()
export class PackRecordsReader {
  /** What a job of CI said of the release, with what its reports came to. */
  async findEvidence(tx: TenantTx, id: string): Promise<JsonObject | null> {
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
  async findReport(tx: TenantTx, id: string): Promise<string | null> {
    const [row] = await tx.query<{ readonly sha256: string }>('select sha256 from evidence_report where id = $1', [id]);
    return row?.sha256 ?? null;
  }

  /** What was decided, with all that it was derived from. */
  async findDecision(tx: TenantTx, id: string): Promise<JsonObject | null> {
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
