import { ApiProperty, PickType } from '@nestjs/swagger';
import { STAGES, type Stage } from '../../domain/facts/condition.js';
import { EVIDENCE_KINDS, type EvidenceKind, type EvidenceMetrics } from '../../domain/evidence/evidence.js';
import { EvidenceDetailsDto } from '../evidence/evidence.dto.js';
import { METRICS } from '../evidence/upload/evidence-upload.dto.js';
import { DeploymentRecordDto } from '../history/history.dto.js';
import { DecisionDetailDto } from '../releases/decisions/decisions.dto.js';
import { EvidenceReviewDto, ReleaseApprovalsDto } from '../releases/details/release-approvals.dto.js';
import { StageDetailsDto } from '../releases/details/release-details.dto.js';
import { ReleaseSummaryDto } from '../releases/lists/release-list.dto.js';

const SHA256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

/** The requirements of one stage that were met at the time of the decision. */
export class MetStageDto extends PickType(StageDetailsDto, ['met']) {
  @ApiProperty({ enum: STAGES })
  stage!: Stage;
}

/** A review as the decision counted it. */
export class CountedReviewDto extends PickType(EvidenceReviewDto, [
  'login',
  'state',
  'commitSha',
  'submittedAt',
  'counts',
  'reason',
]) {}

/** The approvals of the evidence as the decision counted them. */
export class CountedApprovalsDto extends PickType(ReleaseApprovalsDto, ['required', 'given']) {
  /** The last review of each user, newest first. */
  @ApiProperty({ type: [CountedReviewDto] })
  reviews!: readonly CountedReviewDto[];
}

/** The decision that the record is about. */
export class RecordedDecisionDto extends PickType(DecisionDetailDto, [
  'id',
  'at',
  'open',
  'stage',
  'candidateSha',
  'policyDigest',
  'reasons',
  'overrides',
  'rules',
  'rulesChanged',
]) {
  /** SHA-256 over the set of evidence that decided; null without a candidate. */
  @ApiProperty({ type: String, nullable: true, example: SHA256 })
  setDigest!: string | null;

  /** Null if the rules have changed since the decision, or if the service cannot derive it again. */
  @ApiProperty({ type: [MetStageDto], nullable: true })
  stages!: readonly MetStageDto[] | null;

  /** Null if the rules have changed since the decision, or if the service cannot derive it again. */
  @ApiProperty({ type: CountedApprovalsDto, nullable: true })
  approvals!: CountedApprovalsDto | null;
}

/** A file of an upload, with the digest of its bytes as they were uploaded. */
export class RecordedFileDto {
  @ApiProperty({ example: 'junit.xml' })
  name!: string;

  /** In bytes. */
  @ApiProperty({ type: 'integer', minimum: 0, example: 2048 })
  size!: number;

  @ApiProperty({ example: SHA256 })
  sha256!: string;
}

/** An upload that decided. */
export class RecordedEvidenceDto extends PickType(EvidenceDetailsDto, [
  'evidenceId',
  'pipeline',
  'environment',
  'job',
  'runUrl',
  'commitSha',
  'uploadedBy',
  'sha256',
  'createdAt',
]) {
  /** The kinds of evidence of the upload that decided. */
  @ApiProperty({ enum: EVIDENCE_KINDS, isArray: true, example: ['unit_tests'] })
  types!: readonly EvidenceKind[];

  /** The metrics of these kinds. */
  @ApiProperty(METRICS)
  metrics!: EvidenceMetrics;

  /** The first 50 files, in the order of the upload. */
  @ApiProperty({ type: [RecordedFileDto], maxItems: 50 })
  files!: readonly RecordedFileDto[];

  /** The number of further files. The audit pack lists them. */
  @ApiProperty({ type: 'integer', minimum: 0, example: 0 })
  moreFiles!: number;
}

/** A waiver or a break-glass request of the release, also an ended or withdrawn one. */
export class RecordedRequestDto {
  @ApiProperty({ enum: ['waiver', 'break_glass'] })
  kind!: 'waiver' | 'break_glass';

  @ApiProperty({ format: 'uuid' })
  id!: string;

  /** Whether the decision used it. */
  @ApiProperty()
  used!: boolean;

  @ApiProperty({ example: 'verified by hand' })
  reason!: string;

  /** The conditions of a waiver at the time of the request, as sentences; empty for break-glass. */
  @ApiProperty({ type: [String], example: ['The required check "e2e" failed.'] })
  details!: readonly string[];

  /** The commit that it applies to. */
  @ApiProperty({ example: '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392' })
  sha!: string;

  /** The login of the user who requested it, at that time. */
  @ApiProperty({ example: 'ada' })
  requestedBy!: string;

  @ApiProperty({ type: String, format: 'date-time' })
  requestedAt!: Date;

  /** The login of the user who confirmed it; null if no user did. */
  @ApiProperty({ type: String, nullable: true, example: 'bob' })
  confirmedBy!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  confirmedAt!: Date | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  withdrawnAt!: Date | null;

  @ApiProperty({ type: String, format: 'date-time' })
  expiresAt!: Date;
}

/** The signature in an `evidence.json`, over its other members as canonical JSON (RFC 8785). */
export class DocumentSignatureDto {
  @ApiProperty({ example: 'Ed25519' })
  algorithm!: string;

  /** The `kid` of a key of `/.well-known/shipgate-keys.json`. */
  @ApiProperty({ example: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k' })
  keyId!: string;

  /** In base64url. */
  @ApiProperty({ example: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' })
  value!: string;
}

/** A file that Shipgate published in an evidence pull request. */
export class PublishedDocumentDto {
  @ApiProperty({ example: '.releases/v1.4.0/evidence.json' })
  path!: string;

  @ApiProperty({ example: SHA256 })
  sha256!: string;

  /** Null for a file without a signature. */
  @ApiProperty({ type: DocumentSignatureDto, nullable: true })
  signature!: DocumentSignatureDto | null;
}

/** An evidence pull request of the release. */
export class RecordedPullDto {
  @ApiProperty({ type: 'integer', minimum: 1, example: 42 })
  number!: number;

  @ApiProperty({ format: 'uri', example: 'https://github.com/acme/payments/pull/42' })
  url!: string;

  @ApiProperty({ type: String, format: 'date-time' })
  openedAt!: Date;

  /** The commit that Shipgate published in it last. */
  @ApiProperty({ example: '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392' })
  headSha!: string;

  /** SHA-256 over the set of evidence that it contains. */
  @ApiProperty({ example: SHA256 })
  setDigest!: string;

  /** Whether it contains the set of evidence of the decision. */
  @ApiProperty()
  ofDecision!: boolean;

  @ApiProperty({ type: [PublishedDocumentDto] })
  documents!: readonly PublishedDocumentDto[];
}

/** How a release was approved: the decision, and everything that it rests on. */
export class ApprovalRecordDto {
  /** The time of the read. */
  @ApiProperty({ type: String, format: 'date-time' })
  readAt!: Date;

  @ApiProperty()
  release!: ReleaseSummaryDto;

  /** The decision that opened the gate for the deployment that shipped the release, otherwise the newest one; null before the first. */
  @ApiProperty({ type: RecordedDecisionDto, nullable: true })
  decision!: RecordedDecisionDto | null;

  /** The first 100 uploads that decided, in the order of their arrival. */
  @ApiProperty({ type: [RecordedEvidenceDto], maxItems: 100 })
  evidence!: readonly RecordedEvidenceDto[];

  /** The number of further uploads that decided. The audit pack lists them. */
  @ApiProperty({ type: 'integer', minimum: 0, example: 0 })
  moreEvidence!: number;

  /** The newest 100 overrides, oldest first. */
  @ApiProperty({ type: [RecordedRequestDto], maxItems: 100 })
  overrides!: readonly RecordedRequestDto[];

  /** The newest 20 evidence pull requests, oldest first. */
  @ApiProperty({ type: [RecordedPullDto], maxItems: 20 })
  pulls!: readonly RecordedPullDto[];

  /** The newest 50 deployments of the release, oldest first. */
  @ApiProperty({ type: [DeploymentRecordDto], maxItems: 50 })
  deployments!: readonly DeploymentRecordDto[];
}
