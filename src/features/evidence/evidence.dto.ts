import { ApiProperty } from '@nestjs/swagger';
import { EVIDENCE_KINDS, type EvidenceKind } from '../../domain/evidence/evidence.js';
import { ITEM_STATUSES, type EvidenceItemStatus } from '../../domain/evidence/evidence-status.js';
import type { StoredReport } from './evidence.queries.js';
import { StoredReportDto } from './upload/evidence-upload.dto.js';

const SHA = '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392';
const METRICS = {
  type: 'object',
  additionalProperties: true,
  example: { unit_tests: { total: 3, passed: 3, failed: 0, skipped: 0 } },
} as const;

/** One kind of one upload. */
export class EvidenceItemDto {
  /** Of the upload, which may hold several kinds. */
  @ApiProperty({ format: 'uuid' })
  evidenceId!: string;

  @ApiProperty({ enum: EVIDENCE_KINDS })
  type!: EvidenceKind;

  @ApiProperty({ example: 'staging' })
  environment!: string;

  @ApiProperty({ example: 'build and test' })
  pipeline!: string;

  @ApiProperty({ example: SHA })
  commitSha!: string;

  /** The numbers by kind. */
  @ApiProperty(METRICS)
  metrics!: object;

  /** By itself; `unmeasured`: it holds no numbers that could pass. */
  @ApiProperty({ enum: ITEM_STATUSES })
  status!: EvidenceItemStatus;

  /** Why it failed. */
  @ApiProperty({ type: [String], example: [] })
  failures!: readonly string[];

  /** Where the run can be looked at. */
  @ApiProperty({ type: String, format: 'uri', nullable: true })
  runUrl!: string | null;

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: Date;
}

export class EvidenceListDto {
  /** The newest first. */
  @ApiProperty({ type: [EvidenceItemDto] })
  evidence!: readonly EvidenceItemDto[];
}

export class CiRunDto {
  @ApiProperty({ example: '9123456789' })
  id!: string;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, example: 1 })
  attempt!: number;

  /** An identity token proves the run; else the id is the address that the uploader states. */
  @ApiProperty()
  proven!: boolean;
}

/** A failed test, a finding, or a file with uncovered lines. */
export class ReportDetailDto {
  @ApiProperty({ example: 'pays by card' })
  title!: string;

  @ApiProperty({ type: String, nullable: true, example: 'src/pay.spec.ts' })
  location!: string | null;

  @ApiProperty({ example: 'expected 201, got 500' })
  message!: string;
}

/** What was read from a report. */
export class ParsedReportDto {
  @ApiProperty({ enum: EVIDENCE_KINDS })
  kind!: EvidenceKind;

  @ApiProperty(METRICS)
  metrics!: object;

  /** Why the report says of itself that it failed. */
  @ApiProperty({ type: [String], example: [] })
  failures!: readonly string[];

  /** What a reader should know and no verdict rests on. */
  @ApiProperty({ type: [String], example: [] })
  notes!: readonly string[];

  /** The first or worst 100. */
  @ApiProperty({ type: [ReportDetailDto] })
  details!: readonly ReportDetailDto[];
}

export class EvidenceReportDto extends StoredReportDto {
  /** Null where the file is kept for people, and nothing was read from it. */
  @ApiProperty({ type: ParsedReportDto, nullable: true })
  result!: ParsedReportDto | null;
}

/** One upload with all that is known of it. */
export class EvidenceDetailsDto {
  @ApiProperty({ format: 'uuid' })
  evidenceId!: string;

  @ApiProperty({ format: 'uuid' })
  milestoneId!: string;

  @ApiProperty({ example: 'acme/payments' })
  repo!: string;

  @ApiProperty({ example: 'v1.4.0' })
  version!: string;

  @ApiProperty({ example: 'build and test' })
  pipeline!: string;

  @ApiProperty({ example: 'staging' })
  environment!: string;

  /** The job that uploaded it: GitHub's full name where a token proves the job, else the name that the upload states; null where neither is known. */
  @ApiProperty({ type: String, nullable: true, example: 'test (2, node 24)' })
  job!: string | null;

  /** The group of jobs that upload together, where the upload states one. */
  @ApiProperty({ type: String, nullable: true, example: 'unit tests' })
  jobGroup!: string | null;

  /** How many jobs the group has. */
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 256, nullable: true, example: 4 })
  jobTotal!: number | null;

  /** Null where nothing tells which run it was. */
  @ApiProperty({ type: CiRunDto, nullable: true })
  run!: CiRunDto | null;

  @ApiProperty({ type: String, format: 'uri', nullable: true })
  runUrl!: string | null;

  @ApiProperty({ example: SHA })
  commitSha!: string;

  /** Who named the commit: the run's own token, the body of the upload, or what was observed when it arrived. */
  @ApiProperty({ enum: ['token', 'body', 'observed'] })
  commitSource!: 'token' | 'body' | 'observed';

  /** The kind of credential. */
  @ApiProperty({ enum: ['api_key', 'identity_token'] })
  uploadedBy!: 'api_key' | 'identity_token';

  /** Tells the upload from others; the files have digests of their own. */
  @ApiProperty({ example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' })
  sha256!: string;

  /** As the uploader stated them. */
  @ApiProperty(METRICS)
  metrics!: object;

  /** What does not add up. */
  @ApiProperty({ type: [String], example: [] })
  flags!: readonly string[];

  /** What a verdict may rest on, one piece of each kind. */
  @ApiProperty({ type: [EvidenceItemDto] })
  pieces!: readonly EvidenceItemDto[];

  /** In the order in which they came. */
  @ApiProperty({ type: [EvidenceReportDto] })
  reports!: readonly EvidenceReportDto[];

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: Date;
}

/** All types that a report is served as, without their parameters. */
export const REPORT_MEDIA_TYPES = [
  'text/html',
  'application/xml',
  'application/json',
  'application/x-ndjson',
  'text/plain',
] as const;

const SPACE = /^[\s\uFEFF]*/;

/** As what a report is served. Its beginning tells, because several formats are written both as XML and as JSON. */
export function mediaTypeOf(format: string, beginning: Uint8Array): string {
  if (format === 'html') return 'text/html; charset=utf-8';
  if (format === 'go-test') return 'application/x-ndjson';
  const [first] = textOf(beginning).replace(SPACE, '');
  if (first === '<') return 'application/xml';
  return first === '{' || first === '[' ? 'application/json' : 'text/plain; charset=utf-8';
}

/** UTF-16 is read where its mark says so, as the formats are. */
function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return new TextDecoder().decode(bytes);
}

/** As its uploader and its readers are shown it, with the address where people who are signed in download it. */
export const toReportDto = ({ id, evidenceId, name, format, sha256, size }: StoredReport, baseUrl: string) => ({
  id,
  name,
  format,
  sha256,
  size,
  url: `${baseUrl}/api/evidence/${evidenceId}/reports/${id}`,
});
