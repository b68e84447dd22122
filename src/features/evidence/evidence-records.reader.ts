import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import type { TenantTx } from '../../database/database.js';
import { PIECE_COLUMNS, piecesOf, type PiecesRow, runUrlIn } from '../releases/evaluation/evidence-pieces.reader.js';
import type { EvidenceDetails, EvidenceRecord } from './evidence-record.js';
import { KeptReportsReader } from './kept-reports.reader.js';

interface EvidenceRow extends PiecesRow {
  readonly sequence: string;
  readonly run_url: string | null;
  readonly flags: readonly string[];
}

interface DetailsRow extends EvidenceRow {
  readonly release_id: string;
  readonly org: string;
  readonly repository: string;
  readonly version: string;
  readonly commit_source: EvidenceDetails['commit']['source'];
  readonly uploaded_by: EvidenceDetails['uploadedBy'];
  readonly metrics: EvidenceDetails['metrics'];
}

/** `$2` is the host's address. */
const COLUMNS = `${PIECE_COLUMNS}, e.sequence, ${runUrlIn('$2')} as run_url, e.pieces, null as older_content, e.flags,
  e.received_at`;
const NAMED = `evidence e
  join repository p on p.org_id = e.org_id and p.id = e.repository_id
  join organization o on o.org_id = e.org_id`;

/** A part of a list, and where the next part begins; null where there is none. */
export interface EvidenceBatch {
  readonly records: readonly EvidenceRecord[];
  readonly last: string | null;
}

/** Evidence as it was kept, for people: of what they may not read there is none. */
@Injectable()
export class EvidenceRecords {
  constructor(
    private readonly reports: KeptReportsReader,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Uploads for a release, the newest first, before the place that the last batch named. */
  async listBefore(tx: TenantTx, releaseId: string, before: string | null, limit: number): Promise<EvidenceBatch> {
    const rows = await tx.query<EvidenceRow>(
      `select ${COLUMNS} from ${NAMED} where e.release_id = $1 and ($3::bigint is null or e.sequence < $3)
       order by e.sequence desc limit $4`,
      [releaseId, this.environment.githubUrl, before, limit],
    );
    return { records: rows.map(recordOf), last: rows.length < limit ? null : (rows.at(-1)?.sequence ?? null) };
  }

  async find(tx: TenantTx, id: string): Promise<EvidenceDetails | null> {
    const [row] = await tx.query<DetailsRow>(
      `select ${COLUMNS}, e.release_id, o.login as org, p.name as repository, r.version, e.commit_source, e.uploaded_by,
         e.metrics
       from ${NAMED}
       join release r on r.org_id = e.org_id and r.id = e.release_id and r.deleted_at is null
       where e.id = $1`,
      [id, this.environment.githubUrl],
    );
    return row ? { ...detailsOf(row), reports: await this.reports.listWithSummaries(tx, id) } : null;
  }
}

const recordOf = (row: EvidenceRow): EvidenceRecord => ({
  evidenceId: row.id,
  pieces: piecesOf(row),
  runUrl: row.run_url,
  flags: row.flags,
});

const detailsOf = (row: DetailsRow): Omit<EvidenceDetails, 'reports'> => ({
  ...recordOf(row),
  milestoneId: row.release_id,
  repo: `${row.org}/${row.repository}`,
  version: row.version,
  pipeline: row.pipeline,
  environment: row.environment,
  job: row.job,
  run: row.run_id === null ? null : { id: row.run_id, attempt: row.attempt, proven: row.proven },
  jobGroup: row.job_group,
  jobTotal: row.job_total,
  commit: { sha: row.commit_sha, source: row.commit_source },
  uploadedBy: row.uploaded_by,
  metrics: row.metrics,
  sha256: row.sha256,
  receivedAt: row.received_at,
});
