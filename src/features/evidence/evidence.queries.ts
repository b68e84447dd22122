import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import type { TenantTransaction } from '../../database/database.js';
import { type EvidenceKind, type EvidenceItem, evidenceItemId } from '../../domain/evidence/evidence.js';
import {
  EVIDENCE_COLUMNS,
  toEvidenceItems,
  type UploadWithItems,
  runUrlIn,
} from '../releases/evaluation/verdict-inputs.queries.js';
import type { EvidenceDetailsDto, ParsedReportDto, StoredReport } from './evidence.dto.js';

/** One upload with its evidence items. */
interface EvidenceRecord {
  readonly evidenceId: string;
  /** The evidence items, one of each kind. */
  readonly items: readonly EvidenceItem[];
  readonly runUrl: string | null;
  /** Contradictions in the upload, as sentences. */
  readonly flags: readonly string[];
}

/** A stored report with the result of its parser. */
interface ParsedStoredReport extends StoredReport {
  /** The result of its parser; null for a document that no parser reads. */
  readonly summary: ParsedReportDto | null;
}

/** One upload with its reports. */
export interface EvidenceDetails
  extends EvidenceRecord, Omit<EvidenceDetailsDto, keyof EvidenceRecord | 'pieces' | 'reports' | 'createdAt'> {
  readonly receivedAt: Date;
  readonly reports: readonly ParsedStoredReport[];
}

/** An evidence item of an upload, as its receipt shows it. */
export type ReceivedItem = Pick<EvidenceItem, 'kind' | 'environment' | 'metrics' | 'failures'>;

/** The commit of an upload, and its items. */
export interface UploadOrigin extends Pick<EvidenceDetails, 'commitSource'> {
  readonly commitSha: string;
  readonly items: readonly Pick<EvidenceItem, 'id' | 'kind' | 'pipeline' | 'environment'>[];
}

/** A file of an upload, with its digest. */
export interface StoredReportFile {
  readonly name: string;
  /** In bytes, as it was uploaded. */
  readonly size: number;
  readonly sha256: string;
}

const REPORT_COLUMNS = `f.id, f.evidence_id as "evidenceId", f.name, f.format, f.sha256, f.size`;

interface FoundUpload extends UploadWithItems, Pick<EvidenceRecord, 'runUrl' | 'flags'> {
  readonly sequence: string;
}

type FoundDetails = FoundUpload &
  Pick<EvidenceDetails, 'milestoneId' | 'repo' | 'version' | 'commitSource' | 'uploadedBy' | 'metrics'>;

/** `$2` is the base URL of GitHub. */
const COLUMNS = `${EVIDENCE_COLUMNS}, e.sequence, ${runUrlIn('$2')} as "runUrl", e.items, e.flags,
  e.received_at as "receivedAt"`;
const NAMED = `evidence e
  join repository p on p.org_id = e.org_id and p.id = e.repository_id
  join organization o on o.org_id = e.org_id`;

/** A part of a list. `last` is the position before which the next part begins; null after the last part. */
export interface EvidenceBatch {
  readonly records: readonly EvidenceRecord[];
  readonly last: string | null;
}

/** Reads stored uploads with their reports. A viewer finds none of a repository that they cannot read. */
@Injectable()
export class EvidenceQueries {
  constructor(@Inject(ENVIRONMENT) private readonly environment: Environment) {}

  /** Lists uploads of a release before a position, newest first. */
  async listBefore(
    tx: TenantTransaction,
    releaseId: string,
    before: string | null,
    limit: number,
  ): Promise<EvidenceBatch> {
    const rows = await tx.query<FoundUpload>(
      `select ${COLUMNS} from ${NAMED} where e.release_id = $1 and ($3::bigint is null or e.sequence < $3)
       order by e.sequence desc limit $4`,
      [releaseId, this.environment.githubUrl, before, limit],
    );
    return { records: rows.map(toRecord), last: rows.length < limit ? null : (rows.at(-1)?.sequence ?? null) };
  }

  async find(tx: TenantTransaction, id: string): Promise<EvidenceDetails | null> {
    const [row] = await tx.query<FoundDetails>(
      `select ${COLUMNS}, e.release_id as "milestoneId", o.login || '/' || p.name as repo, r.version,
         e.commit_source as "commitSource", e.uploaded_by ->> 'kind' as "uploadedBy", e.metrics
       from ${NAMED}
       join release r on r.org_id = e.org_id and r.id = e.release_id and r.deleted_at is null
       where e.id = $1`,
      [id, this.environment.githubUrl],
    );
    return row ? { ...toDetails(row), reports: await listParsedReports(tx, id) } : null;
  }

  /** Returns the commit and the items of an upload that is known to be stored. */
  async getOrigin(tx: TenantTransaction, evidenceId: string): Promise<UploadOrigin> {
    const [row] = await tx.query<
      Omit<UploadOrigin, 'items'> & Omit<UploadOrigin['items'][number], 'id' | 'kind'> & { kinds: EvidenceKind[] }
    >(
      `select commit_sha as "commitSha", commit_source as "commitSource", pipeline, environment,
         array(select jsonb_array_elements(items) ->> 'kind') as kinds from evidence where id = $1`,
      [evidenceId],
    );
    if (!row) throw new Error('The stored evidence was not found.');
    const { commitSha, commitSource, pipeline, environment, kinds } = row;
    const items = kinds.map((kind) => ({ id: evidenceItemId(evidenceId, kind), kind, pipeline, environment }));
    return { commitSha, commitSource, items };
  }

  /** Lists the files of an upload, in the order of the upload. */
  async listReports(tx: TenantTransaction, evidenceId: string): Promise<readonly StoredReport[]> {
    return tx.query<StoredReport>(
      `select ${REPORT_COLUMNS} from evidence_report f where f.evidence_id = $1 order by f.position, f.id`,
      [evidenceId],
    );
  }

  /** Lists the evidence items of an upload, in the order in which they were found. */
  async listItems(tx: TenantTransaction, evidenceId: string): Promise<readonly ReceivedItem[]> {
    return tx.query<ReceivedItem>(
      `select item ->> 'kind' as kind, e.environment, item -> 'metrics' as metrics, item -> 'failures' as failures
       from evidence e cross join lateral jsonb_array_elements(e.items) with ordinality as found (item, position)
       where e.id = $1 order by position`,
      [evidenceId],
    );
  }

  /** Returns null if there is no such report, or if its release was deleted. */
  async findReport(tx: TenantTransaction, evidenceId: string, id: string): Promise<StoredReport | null> {
    const [row] = await tx.query<StoredReport>(
      `select ${REPORT_COLUMNS} from evidence_report f
       join evidence e on e.org_id = f.org_id and e.id = f.evidence_id
       join release r on r.org_id = e.org_id and r.id = e.release_id and r.deleted_at is null
       where f.evidence_id = $1 and f.id = $2`,
      [evidenceId, id],
    );
    return row ?? null;
  }

  /** Lists by item id the files that each item of these uploads was parsed from, and the documents of the upload. */
  async listFilesByItem(
    tx: TenantTransaction,
    uploadIds: readonly string[],
  ): Promise<ReadonlyMap<string, readonly StoredReportFile[]>> {
    const rows = await tx.query<StoredReportFile & { readonly evidenceId: string; readonly kind: EvidenceKind }>(
      `select e.id as "evidenceId", item.kind, f.name, f.size, f.sha256
       from evidence e
       cross join lateral (select p->>'kind' as kind from jsonb_array_elements(e.items) p) item
       join evidence_report f on f.org_id = e.org_id and f.evidence_id = e.id
         and coalesce(f.summary->>'kind', item.kind) = item.kind
       where e.id = any($1::uuid[]) order by f.position, f.id`,
      [uploadIds],
    );
    const files = new Map<string, StoredReportFile[]>();
    for (const { evidenceId, kind, name, size, sha256 } of rows) {
      const id = evidenceItemId(evidenceId, kind);
      const known = files.get(id);
      if (known) known.push({ name, size, sha256 });
      else files.set(id, [{ name, size, sha256 }]);
    }
    return files;
  }
}

const listParsedReports = (tx: TenantTransaction, evidenceId: string): Promise<readonly ParsedStoredReport[]> =>
  tx.query<ParsedStoredReport>(
    `select ${REPORT_COLUMNS}, f.summary from evidence_report f where f.evidence_id = $1 order by f.position, f.id`,
    [evidenceId],
  );

const toRecord = (row: FoundUpload): EvidenceRecord => ({
  evidenceId: row.id,
  items: toEvidenceItems(row),
  runUrl: row.runUrl,
  flags: row.flags,
});

const toDetails = (row: FoundDetails): Omit<EvidenceDetails, 'reports'> => ({
  ...toRecord(row),
  milestoneId: row.milestoneId,
  repo: row.repo,
  version: row.version,
  pipeline: row.pipeline,
  environment: row.environment,
  job: row.job,
  run: row.runId === null ? null : { id: row.runId, attempt: row.attempt, proven: row.proven },
  jobGroup: row.jobGroup,
  jobTotal: row.jobTotal,
  commitSha: row.commitSha,
  commitSource: row.commitSource,
  uploadedBy: row.uploadedBy,
  metrics: row.metrics,
  sha256: row.sha256,
  receivedAt: row.receivedAt,
});
