import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, Matches } from 'class-validator';
import {
  COMMIT_SOURCES,
  type CommitSource,
  EVIDENCE_KINDS,
  type EvidenceKind,
} from '../../domain/evidence/evidence.js';
import { type FilterOf, PageInfo, PageQuery } from '../../http/pagination/pagination.dto.js';
import { LABEL_PATTERN } from '../../http/validation/field.decorators.js';
import { EvidenceItemDto } from '../releases/details/release-details.dto.js';
import { METRICS, StoredReportDto } from './upload/evidence-upload.dto.js';

const SHA = '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392';

const DECIDES = ['true', 'false'] as const;

/** The filter of the evidence items of a release. It applies with and without pages. */
export class EvidenceListQuery extends PageQuery {
  /** The kind of evidence. */
  @ApiPropertyOptional({ enum: EVIDENCE_KINDS })
  @IsOptional()
  @IsIn(EVIDENCE_KINDS, { message: `type must be ${EVIDENCE_KINDS.join(', ')}` })
  type?: EvidenceKind;

  /** The exact environment. */
  @ApiPropertyOptional({ example: 'staging', minLength: 1, maxLength: 100 })
  @IsOptional()
  @Matches(LABEL_PATTERN, { message: 'environment must have 1 to 100 characters' })
  environment?: string;

  /** `true`: only items that the verdict uses. `false`: only the others. */
  @ApiPropertyOptional({ enum: DECIDES })
  @IsOptional()
  @IsIn(DECIDES, { message: `decides must be ${DECIDES.join(', ')}` })
  decides?: (typeof DECIDES)[number];
}

export type EvidenceFilter = FilterOf<Omit<EvidenceListQuery, 'decides'>> & { readonly decides: boolean | null };

/** Converts the query to a filter; absent members become null. */
export const toEvidenceFilter = ({ type, environment, decides }: EvidenceListQuery): EvidenceFilter => ({
  type: type ?? null,
  environment: environment ?? null,
  decides: decides === undefined ? null : decides === 'true',
});

export class EvidenceListDto {
  /** Newest first. */
  @ApiProperty({ type: [EvidenceItemDto] })
  evidence!: readonly EvidenceItemDto[];

  /** Only if the request has `page` or `pageSize`. */
  @ApiPropertyOptional()
  pagination?: PageInfo;
}

export class CiRunDto {
  @ApiProperty({ example: '9123456789' })
  id!: string;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, example: 1 })
  attempt!: number;

  /** Whether an identity token proves the run. If not, the id is the URL that the upload states. */
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

/** The result of parsing a report. */
export class ParsedReportDto {
  @ApiProperty({ enum: EVIDENCE_KINDS })
  kind!: EvidenceKind;

  @ApiProperty(METRICS)
  metrics!: object;

  /** The failures that the report states. */
  @ApiProperty({ type: [String], example: [] })
  failures!: readonly string[];

  /** Remarks of the parser. No verdict uses them. */
  @ApiProperty({ type: [String], example: [] })
  notes!: readonly string[];

  /** The first or worst entries, at most 100. */
  @ApiProperty({ type: [ReportDetailDto] })
  details!: readonly ReportDetailDto[];
}

export class EvidenceReportDto extends StoredReportDto {
  /** Null if the file is a document that no parser reads. */
  @ApiProperty({ type: ParsedReportDto, nullable: true })
  result!: ParsedReportDto | null;
}

/** One upload with its items and reports. */
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

  /** The job that uploaded it: the full name at GitHub if a token proves the job, otherwise the name that the upload states. */
  @ApiProperty({ type: String, nullable: true, example: 'test (2, node 24)' })
  job!: string | null;

  /** The group of jobs that upload together; null if the upload states none. */
  @ApiProperty({ type: String, nullable: true, example: 'unit tests' })
  jobGroup!: string | null;

  /** The number of jobs in the group. */
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 256, nullable: true, example: 4 })
  jobTotal!: number | null;

  /** Null if the run is not known. */
  @ApiProperty({ type: CiRunDto, nullable: true })
  run!: CiRunDto | null;

  @ApiProperty({ type: String, format: 'uri', nullable: true })
  runUrl!: string | null;

  @ApiProperty({ example: SHA })
  commitSha!: string;

  /**
   * The source of the commit: the identity token, the upload, or, as neither named one, the candidate or the head of the
   * development branch at the time of the upload.
   */
  @ApiProperty({ enum: COMMIT_SOURCES })
  commitSource!: CommitSource;

  /** The kind of credential. */
  @ApiProperty({ enum: ['api_key', 'identity_token'] })
  uploadedBy!: 'api_key' | 'identity_token';

  /** Identifies the upload. The files have their own digests. */
  @ApiProperty({ example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' })
  sha256!: string;

  /** The metrics that the upload states. */
  @ApiProperty(METRICS)
  metrics!: object;

  /** Contradictions in the upload, as sentences. */
  @ApiProperty({ type: [String], example: [] })
  flags!: readonly string[];

  /** The evidence items, one of each kind. */
  @ApiProperty({ type: [EvidenceItemDto] })
  pieces!: readonly EvidenceItemDto[];

  /** In the order of the upload. */
  @ApiProperty({ type: [EvidenceReportDto] })
  reports!: readonly EvidenceReportDto[];

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: Date;
}

/** The media types of downloaded reports, without parameters. */
export const REPORT_MEDIA_TYPES = [
  'text/html',
  'application/xml',
  'application/json',
  'application/x-ndjson',
  'text/plain',
] as const;

const SPACE = /^[\s\uFEFF]*/;

/** Returns the media type of a report. Some formats exist as XML and as JSON, so the first character decides. */
export function toMediaType(format: string, beginning: Uint8Array): string {
  if (format === 'html') return 'text/html; charset=utf-8';
  if (format === 'go-test') return 'application/x-ndjson';
  const [first] = decodeText(beginning).replace(SPACE, '');
  if (first === '<') return 'application/xml';
  return first === '{' || first === '[' ? 'application/json' : 'text/plain; charset=utf-8';
}

/** Decodes UTF-16 if the text has a byte order mark, like the parsers do. */
function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return new TextDecoder().decode(bytes);
}

/** A stored file of an upload, without its content. */
export type StoredReport = Omit<StoredReportDto, 'url'> & { readonly evidenceId: string };

/** Converts a stored report to its DTO, with the URL of the download. */
export const toReportDto = ({ id, evidenceId, name, format, sha256, size }: StoredReport, baseUrl: string) => ({
  id,
  name,
  format,
  sha256,
  size,
  url: `${baseUrl}/api/evidence/${evidenceId}/reports/${id}`,
});
