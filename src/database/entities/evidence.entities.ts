import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { JsonObject, JsonValue } from '../../domain/audit/canonical-json.js';
import type { EvidenceItem } from '../../domain/evidence/evidence.js';
import type { Stored } from '../../domain/release/replay.js';
import type { OrgId } from '../ids.js';
import { IdentityColumn } from './identity-column.js';

// Uploads of CI, and the bytes of their reports.

/** An upload of a CI run about one release. It never changes. */
@Entity('evidence')
@ForeignKey('Release', ['orgId', 'releaseId'], ['orgId', 'id'])
@ForeignKey('Repository', ['orgId', 'repositoryId'], ['orgId', 'id'])
@Check('evidence_commit_source_check', "commit_source in ('token', 'body', 'observed')")
@Check('evidence_job_group', '(job_group is null) = (job_total is null)')
@Check('evidence_job_total_check', 'job_total >= 1 and job_total <= 256')
@Index('evidence_by_release', ['orgId', 'releaseId', 'sequence'])
@Index('evidence_once_a_job', { synchronize: false })
export class Evidence {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') id: string;
  @IdentityColumn('bigint') sequence: number;
  @Column('uuid') releaseId: string;
  @Column('uuid') repositoryId: string;
  @Column('text') pipeline: string;
  @Column('text') environment: string;
  @Column('text') job: string;
  @Column('text', { nullable: true }) runId: string | null;
  @Column('bigint', { default: 1 }) runAttempt: number;
  @Column('text', { nullable: true }) runUrl: string | null;
  @Column('text') commitSha: string;
  @Column('text') commitSource: 'token' | 'body' | 'observed';
  @Column('jsonb') uploadedBy: JsonObject;
  @Column('jsonb', { name: 'pieces' }) items: readonly Stored<EvidenceItem>[];
  @Column('jsonb') metrics: JsonObject;
  @Column('jsonb') reports: readonly JsonObject[];
  @Column('jsonb') flags: readonly string[];
  @Column('text') sha256: string;
  @Column('timestamptz') receivedAt: Date;
  @Column({
    type: 'bigint',
    nullable: true,
    generatedType: 'STORED',
    asExpression: "case when uploaded_by ->> 'kind' = 'identity_token' then (uploaded_by ->> 'checkRunId')::bigint end",
  })
  checkRunId: number | null;
  @Column('text', { nullable: true }) statedJob: string | null;
  @Column('text', { nullable: true }) jobGroup: string | null;
  @Column('smallint', { nullable: true }) jobTotal: number | null;
}

/** A report file of an upload; its bytes are a `ReportContent`. */
@Entity('evidence_report')
@ForeignKey('Evidence', ['orgId', 'evidenceId'], ['orgId', 'id'])
@ForeignKey('ReportContent', ['orgId', 'sha256'], ['orgId', 'sha256'])
@Index('evidence_report_by_content', ['orgId', 'sha256'])
@Index('evidence_report_by_evidence', ['orgId', 'evidenceId'])
export class EvidenceReport {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') id: string;
  @Column('uuid') evidenceId: string;
  @Column('text') name: string;
  @Column('text') format: string;
  @Column('text') sha256: string;
  @Column('integer') size: number;
  @Column('jsonb') summary: JsonValue;
  @Column('integer', { default: 0 }) position: number;
}

/** The bytes of the reports with one digest, stored once per workspace: here, in blocks, or at `location`. */
@Entity('report_content')
@ForeignKey('Organization', ['orgId'], ['orgId'])
@Check('report_content_in_one_place', "location is null or bytes = '\\x'")
@Index('report_content_removed', ['orgId', 'removedAt'], {
  where: 'removed_at is not null and location is not null',
})
export class ReportContent {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('text') sha256: string;
  @Column('bytea') bytes: Buffer;
  @Column('text', { nullable: true }) location: string | null;
  @Column('timestamptz', { nullable: true }) removedAt: Date | null;
}

/** A compressed part of a report that is too long for one value. */
@Entity('report_content_block')
@ForeignKey('ReportContent', ['orgId', 'sha256'], ['orgId', 'sha256'])
@Check('report_content_block_position_check', 'position > 0')
export class ReportContentBlock {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('text') sha256: string;
  @PrimaryColumn('integer') position: number;
  @Column('bytea') deflated: Buffer;
}

/** A file of an evidence pull request, as it was pushed to GitHub. */
@Entity('published_evidence')
@ForeignKey('Release', ['orgId', 'releaseId'], ['orgId', 'id'])
export class PublishedEvidence {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') releaseId: string;
  @PrimaryColumn('text') path: string;
  @PrimaryColumn('text') blobSha: string;
  @Column('text') content: string;
  @Column('timestamptz') publishedAt: Date;
}

/** The upload that a caller sent with an `Idempotency-Key`. */
@Entity('upload_idempotency_key')
@ForeignKey('Evidence', ['orgId', 'evidenceId'], ['orgId', 'id'])
export class UploadIdempotencyKey {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('text') caller: string;
  @PrimaryColumn('text') idempotencyKey: string;
  @Column('text') bodySha256: string;
  @Column('uuid') evidenceId: string;
  @Column('timestamptz') createdAt: Date;
}

/** The upload that an identity token was used for. The token cannot be used for another upload. */
@Entity('identity_token_use')
@ForeignKey('Evidence', ['orgId', 'evidenceId'], ['orgId', 'id'])
export class IdentityTokenUse {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('text') jti: string;
  @PrimaryColumn('text') bodySha256: string;
  @Column('uuid') evidenceId: string;
  @Column('timestamptz') usedAt: Date;
}

/** The name of a job of a workflow run, by the id of its check run. */
@Entity('workflow_job')
@ForeignKey('Repository', ['orgId', 'repositoryId'], ['orgId', 'id'])
export class WorkflowJob {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') repositoryId: string;
  @PrimaryColumn('bigint') id: number;
  @Column('text') name: string;
}

/** A change of the number of bytes that a workspace stores. The sum of the changes is the number. */
@Entity('storage_usage_change')
@ForeignKey('Organization', ['orgId'], ['orgId'])
export class StorageUsageChange {
  @PrimaryColumn('uuid') orgId: OrgId;
  @IdentityColumn('bigint', { primary: true }) id: number;
  @Column('bigint') bytes: number;
}
