import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../../database/database.js';
import type { EvidenceKind } from '../../../domain/evidence/evidence.js';
import type { NewEvidence } from '../evidence.repository.js';

/** The reports of one kind of an upload with the size of their stored outcomes. */
export interface UploadWithTests {
  readonly evidenceId: string;
  readonly reports: readonly { readonly sha256: string; readonly bytes: number }[];
}

/** An upload of an earlier run. */
export interface EarlierTestUpload extends UploadWithTests {
  /** The version of its release. */
  readonly version: string;
  readonly runId: string | null;
  readonly receivedAt: Date;
}

/** The maximum numbers of releases with the latest evidence and of their earlier uploads whose tests are read. */
const MAX_RELEASES = 5;
const MAX_EARLIER = 50;

/** The reports of the kind `$4` of `evidence e`, as JSON. */
const REPORTS = `(select coalesce(jsonb_agg(jsonb_build_object('sha256', r.sha256, 'bytes',
    (select coalesce(sum(length(t.entries)), 0) from test_results t where t.sha256 = r.sha256))), '[]')
  from evidence_report r where r.evidence_id = e.id and r.summary ->> 'kind' = $4)`;

const IS_PROVEN = `e.uploaded_by ->> 'kind' = 'identity_token'`;

/** Reads uploads of the same pipeline and environment that were stored before a new one. */
@Injectable()
export class EarlierUploadsQueries {
  /** Lists the uploads of the same run of the release, and the ids of their failed tests of the kind. Uploads without a run are one run. */
  async listOfRun(
    tx: TenantTransaction,
    { releaseId, pipeline, environment, origin: { run } }: NewEvidence,
    kind: EvidenceKind,
  ): Promise<readonly (UploadWithTests & { readonly failedTests: readonly string[] })[]> {
    return tx.queryPrepared(
      'list_test_uploads_of_run',
      `select e.id as "evidenceId", ${REPORTS} as reports,
         coalesce((select jsonb_agg(test -> 'id') from jsonb_array_elements(e.identified_failures #> array[$4, 'tests']) test), '[]')
           as "failedTests"
       from evidence e
       where e.release_id = $1 and e.pipeline = $2 and e.environment = $3
         and e.items @> jsonb_build_array(jsonb_build_object('kind', $4::text))
         and e.run_id is not distinct from $5 and (e.run_id is null or (${IS_PROVEN}) = $6)
       order by e.sequence`,
      [releaseId, pipeline, environment, kind, run?.id ?? null, run?.proven ?? false],
    );
  }

  /** Returns the size of the identified failures of the release, in bytes of JSON. */
  async measureIdentified(tx: TenantTransaction, releaseId: string): Promise<number> {
    const [row] = await tx.queryPrepared<{ readonly bytes: number }>(
      'measure_identified_failures',
      `select coalesce(sum(octet_length(identified_failures::text)), 0)::float8 as bytes from evidence
       where release_id = $1 and identified_failures is not null`,
      [releaseId],
    );
    return row?.bytes ?? 0;
  }

  /** Lists uploads of other runs of the repository, newest first. Uploads without a run are runs of their own. */
  async listBefore(
    tx: TenantTransaction,
    { repositoryId, pipeline, environment, origin: { run } }: NewEvidence,
    kind: EvidenceKind,
  ): Promise<readonly EarlierTestUpload[]> {
    return tx.queryPrepared(
      'list_test_uploads_before',
      `select e.id as "evidenceId", ${REPORTS} as reports, v.version, e.run_id as "runId", e.received_at as "receivedAt"
       from (select id, version from release where repository_id = $1 and evidence_at is not null
         order by evidence_at desc limit ${MAX_RELEASES}) v
       join evidence e on e.release_id = v.id
       where e.pipeline = $2 and e.environment = $3
         and e.items @> jsonb_build_array(jsonb_build_object('kind', $4::text))
         and (e.run_id is null or e.run_id <> $5::text)
       order by e.sequence desc limit ${MAX_EARLIER}`,
      [repositoryId, pipeline, environment, kind, run?.id ?? ''],
    );
  }
}
