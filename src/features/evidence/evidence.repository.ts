import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { CiCaller } from '../../auth/caller.js';
import type { TenantTransaction } from '../../database/database.js';
import type { CommitSource, EvidenceKind, IdentifiedFailuresByKind, JobGroup } from '../../domain/evidence/evidence.js';
import { totalSize } from '../../http/body/byte-blocks.js';
import { type LocatedContent, ReportContentsRepository } from './storage/report-contents.repository.js';
import { type ReportWithTests, TestResultsRepository } from './test-results.repository.js';
import type { NewEvidenceItem, Origin, UploadedReport } from './upload/upload-content.js';

/** The values of new evidence by which the quality lists find releases. */
interface EvidenceFacets {
  readonly releaseId: string;
  readonly repositoryId: string;
  readonly environment: string;
  readonly items: readonly { readonly kind: EvidenceKind }[];
  readonly receivedAt: Date;
  readonly reports: readonly ReportWithTests[];
}

const IDEMPOTENCY_HOURS = 24;
/** The approximate size of a row without its JSON, including its index entries. */
const ROW_BYTES = 1_024;
const REPORT_ROW_BYTES = 512;

export interface NewEvidence {
  readonly releaseId: string;
  readonly repositoryId: string;
  readonly pipeline: string;
  readonly environment: string;
  readonly origin: Origin;
  /** The job that the upload names, or null. */
  readonly statedJob: string | null;
  readonly jobGroup: JobGroup | null;
  readonly runUrl: string | null;
  readonly commit: { readonly sha: string; readonly source: CommitSource };
  readonly uploadedBy: Readonly<Record<string, unknown>> & { readonly kind: CiCaller['kind'] };
  readonly items: readonly NewEvidenceItem[];
  readonly reports: readonly UploadedReport[];
  readonly reportNames: readonly string[];
  readonly flags: readonly string[];
  /** The encoded lines of its coverage reports together; null if there are none. */
  readonly coveredLines: Uint8Array | null;
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly sha256: string;
  readonly receivedAt: Date;
}

/** Stores uploads, which never change, and the values by which the quality lists find their releases. */
@Injectable()
export class EvidenceRepository {
  constructor(
    private readonly contents: ReportContentsRepository,
    private readonly testResults: TestResultsRepository,
  ) {}

  /** Inserts the evidence, or finds the same upload of the same job. */
  async insert(
    tx: TenantTransaction,
    evidence: NewEvidence,
    located: readonly LocatedContent[],
    identified: IdentifiedFailuresByKind | null,
  ): Promise<{ readonly id: string; readonly created: boolean; readonly storedBytes: number }> {
    const id = randomUUID();
    const { origin, statedJob, jobGroup, commit } = evidence;
    const stored = evidence.items.map(({ failedTests: _failed, findings: _findings, ...item }) => item);
    const [items, metrics, flags] = [stored, evidence.metrics, evidence.flags].map((value) =>
      JSON.stringify(value),
    ) as [string, string, string];
    const failures = identified && JSON.stringify(identified);
    const inserted = await tx.query(
      `insert into evidence (org_id, id, release_id, repository_id, pipeline, environment, job, run_id, run_attempt,
         run_url, commit_sha, commit_source, uploaded_by, items, metrics, reports, flags, sha256, received_at,
         stated_job, job_group, job_total, identified_failures)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)
       on conflict do nothing returning id`,
      [
        tx.orgId,
        id,
        evidence.releaseId,
        evidence.repositoryId,
        evidence.pipeline,
        evidence.environment,
        statedJob ?? '',
        origin.run?.id ?? null,
        origin.attempt,
        evidence.runUrl,
        commit.sha,
        commit.source,
        JSON.stringify(evidence.uploadedBy),
        items,
        metrics,
        JSON.stringify(evidence.reportNames),
        flags,
        evidence.sha256,
        evidence.receivedAt,
        statedJob,
        jobGroup?.name ?? null,
        jobGroup?.total ?? null,
        failures,
      ],
    );
    if (inserted.length === 0) return { id: await this.findSame(tx, evidence), created: false, storedBytes: 0 };
    let storedBytes = ROW_BYTES + items.length + metrics.length + flags.length + (failures?.length ?? 0);
    for (const content of located) storedBytes += await this.contents.record(tx, content);
    for (const [position, report] of evidence.reports.entries()) {
      storedBytes += await this.insertReport(tx, id, position, report);
    }
    await this.addFacets(tx, evidence);
    return { id, created: true, storedBytes };
  }

  /** Counts the uploads and files of this kind of credential for the same commit of the release. */
  async measureCommit(
    tx: TenantTransaction,
    { releaseId, commit, uploadedBy }: NewEvidence,
  ): Promise<{ readonly uploads: number; readonly files: number }> {
    const [row] = await tx.query<{ readonly uploads: number; readonly files: number }>(
      `select count(distinct e.id)::int as uploads, count(f.id)::int as files from evidence e
       left join evidence_report f on f.org_id = e.org_id and f.evidence_id = e.id
       where e.release_id = $1 and e.commit_sha = $2 and e.uploaded_by ->> 'kind' = $3`,
      [releaseId, commit.sha, uploadedBy.kind],
    );
    return row ?? { uploads: 0, files: 0 };
  }

  /** Returns the earlier upload of this token with the same body and the number of its uploads. Locks the token. */
  async lockToken(
    tx: TenantTransaction,
    jti: string,
    bodySha256: string,
  ): Promise<{ readonly evidenceId: string | null; readonly writes: number }> {
    await lock(tx, `token ${jti}`);
    const rows = await tx.query<{ readonly body_sha256: string; readonly evidence_id: string }>(
      `select body_sha256, evidence_id from identity_token_use where jti = $1`,
      [jti],
    );
    const same = rows.find((row) => row.body_sha256 === bodySha256);
    return { evidenceId: same?.evidence_id ?? null, writes: rows.length };
  }

  async useToken(tx: TenantTransaction, jti: string, bodySha256: string, evidenceId: string, now: Date): Promise<void> {
    await tx.query(
      `insert into identity_token_use (org_id, jti, body_sha256, evidence_id, used_at) values ($1, $2, $3, $4, $5)`,
      [tx.orgId, jti, bodySha256, evidenceId, now],
    );
  }

  /** Returns the upload with this idempotency key of the last 24 hours. Locks the key. */
  async lockKey(
    tx: TenantTransaction,
    caller: string,
    key: string,
    now: Date,
  ): Promise<{ readonly evidenceId: string; readonly sha256: string } | null> {
    await lock(tx, `upload ${caller} ${key}`);
    const [upload] = await tx.query<{ readonly evidenceId: string; readonly sha256: string }>(
      `select evidence_id as "evidenceId", body_sha256 as sha256 from upload_idempotency_key
       where caller = $1 and idempotency_key = $2 and created_at > $3::timestamptz - make_interval(hours => $4)`,
      [caller, key, now, IDEMPOTENCY_HOURS],
    );
    return upload ?? null;
  }

  async saveKey(
    tx: TenantTransaction,
    upload: { readonly caller: string; readonly key: string; readonly sha256: string; readonly evidenceId: string },
    now: Date,
  ): Promise<void> {
    await tx.query(
      `insert into upload_idempotency_key (org_id, caller, idempotency_key, body_sha256, evidence_id, created_at)
       values ($1, $2, $3, $4, $5, $6)
       on conflict (org_id, caller, idempotency_key) do update
       set body_sha256 = excluded.body_sha256, evidence_id = excluded.evidence_id, created_at = excluded.created_at`,
      [tx.orgId, upload.caller, upload.key, upload.sha256, upload.evidenceId, now],
    );
  }

  /** Returns the size of the row and of its tests in bytes. */
  private async insertReport(
    tx: TenantTransaction,
    evidenceId: string,
    position: number,
    report: UploadedReport,
  ): Promise<number> {
    const summary = JSON.stringify(report.summary);
    await tx.query(
      `insert into evidence_report (org_id, id, evidence_id, position, name, format, sha256, size, summary)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [
        tx.orgId,
        randomUUID(),
        evidenceId,
        position,
        report.name,
        report.format,
        report.sha256,
        totalSize(report.content),
        summary,
      ],
    );
    const tests = report.testResults.parts.reduce((sum, { marks, names }) => sum + marks.length + names.length, 0);
    return REPORT_ROW_BYTES + summary.length + tests;
  }

  private async findSame(tx: TenantTransaction, evidence: NewEvidence): Promise<string> {
    const { releaseId, origin, statedJob, pipeline, sha256 } = evidence;
    const [row] = await tx.query<{ readonly id: string }>(
      `select id from evidence where release_id = $1 and run_id = $2 and run_attempt = $3 and job = $4
         and check_run_id is not distinct from $5 and pipeline = $6 and sha256 = $7`,
      [releaseId, origin.run?.id, origin.attempt, statedJob ?? '', origin.checkRunId, pipeline, sha256],
    );
    if (!row) throw new Error('The conflicting evidence was not found.');
    return row.id;
  }

  /** Adds the values of the quality lists. Must run once per upload, in the transaction that inserts it. */
  async addFacets(
    tx: TenantTransaction,
    { releaseId, repositoryId, environment, items, receivedAt, reports }: EvidenceFacets,
  ): Promise<void> {
    await tx.query(
      `with noted as (
         insert into evidence_facet (org_id, repository_id, release_id, kind, environment)
         select $1, $2, $3, kind, $4 from unnest($5::text[]) as kind
         on conflict do nothing)
       update release set evidence_at = greatest(evidence_at, $6) where id = $3`,
      [tx.orgId, repositoryId, releaseId, environment, items.map(({ kind }) => kind), receivedAt],
    );
    // Sorted, so that concurrent uploads of the same reports cannot deadlock.
    const inOrder = reports.toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
    for (const report of inOrder) await this.testResults.save(tx, report);
  }
}

/** Takes the lock of this name in the workspace until the transaction ends. */
const lock = (tx: TenantTransaction, name: string): Promise<unknown> =>
  tx.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [`${tx.orgId} ${name}`]);
