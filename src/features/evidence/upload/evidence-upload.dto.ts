import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  IsUrl,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import {
  COMMIT_SOURCES,
  type CommitSource,
  EVIDENCE_KINDS,
  type EvidenceKind,
} from '../../../domain/evidence/evidence.js';
import { UPLOAD_EFFECTS, type UploadEffect } from '../../../domain/evidence/upload-effect.js';
import { NO_CONTROL_CHARACTERS, MAX_FILES } from '../parsing/upload-body.js';

/** The fields of every upload, by both routes. */
export class UploadFields {
  /** If present, it must be the organization of the credential. */
  @ApiPropertyOptional({ example: 'acme' })
  @IsOptional()
  @IsString()
  @Length(1, 100)
  org?: string;

  /** The repository, as `name` or `owner/name`. */
  @ApiProperty({ example: 'acme/payments' })
  @Matches(/^([\w.-]{1,100}\/)?[\w.-]{1,100}$/, { message: 'repo must be a repository, as name or owner/name' })
  repo!: string;

  /** The version of the release: the exact title of its milestone. */
  @ApiProperty({ example: 'v1.4.0' })
  @IsString()
  @Length(1, 100)
  version!: string;

  /** The display name of the pipeline. */
  @ApiProperty({ example: 'build and test' })
  @IsString()
  @Length(1, 200)
  @Matches(NO_CONTROL_CHARACTERS, { message: 'pipeline must not contain control characters' })
  pipeline!: string;

  /** The environment that was tested. */
  @ApiPropertyOptional({ example: 'staging', default: 'ci' })
  @IsOptional()
  @IsString()
  @Length(1, 100)
  @Matches(NO_CONTROL_CHARACTERS, { message: 'environment must not contain control characters' })
  environment?: string;

  /**
   * The job of the run with its matrix values. A later attempt of the same job replaces the evidence of an earlier one. Not needed
   * with an identity token, because GitHub names the job.
   */
  @ApiPropertyOptional({ example: 'test (2/4)' })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  @Matches(NO_CONTROL_CHARACTERS, { message: 'job must not contain control characters' })
  job?: string;

  /** The attempt of the job in its run, from 1. The attempt of an identity token has priority. */
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1 })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  run_attempt?: number;

  /** The group of jobs that upload together, if no identity token proves the job. Needs `job` and `job_total`. */
  @ApiPropertyOptional({ example: 'unit tests' })
  @IsOptional()
  @IsString()
  @Length(1, 200)
  @Matches(NO_CONTROL_CHARACTERS, { message: 'job_group must not contain control characters' })
  job_group?: string;

  /** The number of jobs in the group. The evidence is incomplete until all of them have uploaded. */
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 256 })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(256)
  job_total?: number;

  /** Metrics by kind, such as `{"unit_tests": {"total": 12, "passed": 12, "failed": 0, "skipped": 0}}`. Unknown members are stored. At most 10,000 values in 256 KB. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  @IsOptional()
  @IsObject()
  metrics?: Record<string, unknown>;

  /** Documents by name: a string is stored as HTML, other values as JSON. No verdict uses them. At most 500 including files; names of 1 to 255 characters. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  @IsOptional()
  @IsObject()
  reports?: Record<string, unknown>;

  /** The tested commit. The commit of an identity token has priority. */
  @ApiPropertyOptional({ example: '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392' })
  @IsOptional()
  @Matches(/^[0-9a-f]{40}$/, { message: 'commit_sha must be a commit in 40 lower-case hexadecimal digits' })
  commit_sha?: string;

  /** The kind of evidence. Needed only if neither the metrics nor the files contain it. */
  @ApiPropertyOptional({ enum: EVIDENCE_KINDS })
  @IsOptional()
  @IsIn(EVIDENCE_KINDS)
  kind?: EvidenceKind;

  /** The URL of the CI run. Without an identity token it also identifies the run. */
  @ApiPropertyOptional({ format: 'uri' })
  @IsOptional()
  @IsUrl({ protocols: ['https', 'http'], require_protocol: true, require_tld: false })
  @MaxLength(2000)
  run_url?: string;
}

/** A report file of a CI run. Its content decides its format. */
export class UploadedFile {
  @ApiProperty({ example: 'junit.xml' })
  @IsString()
  @Length(1, 255)
  @Matches(NO_CONTROL_CHARACTERS, { message: 'filename must not contain control characters' })
  filename!: string;

  /** The text of the file: at most 5 MB in UTF-8, unless the operator has set another limit. */
  @ApiProperty({ maxLength: 5_242_880 })
  @IsString()
  content!: string;

  /** The expected format. The upload is rejected if the content has another one. */
  @ApiPropertyOptional({ type: String, example: 'junit' })
  @IsOptional()
  @IsString()
  @Length(1, 32)
  format?: string | null;
}

/** Evidence of one CI job for one release, with at least one of metrics, reports and files. */
export class EvidenceUpload extends UploadFields {
  @ApiPropertyOptional({ type: [UploadedFile], maxItems: MAX_FILES })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MAX_FILES)
  @IsObject({ each: true })
  @ValidateNested({ each: true })
  @Type(() => UploadedFile)
  files?: UploadedFile[] | null;
}

/** Metrics by kind, in the API description. */
export const METRICS = {
  type: 'object',
  additionalProperties: true,
  example: { unit_tests: { total: 3, passed: 3, failed: 0, skipped: 0 } },
} as const;

/** The maximum number of failures of one kind in a receipt. */
const MAX_FAILURES = 20;

/** One kind of evidence that the service found in an upload. */
export class ReceivedEvidenceDto {
  @ApiProperty({ enum: EVIDENCE_KINDS })
  kind!: EvidenceKind;

  @ApiProperty({ example: 'staging' })
  environment!: string;

  /** The metrics as verdicts use them, the files of the upload added up. Empty for a kind without metrics. */
  @ApiProperty(METRICS)
  metrics!: object;

  /** The first failures that the reports state besides failed tests, such as a file without tests. */
  @ApiProperty({ type: [String], maxItems: MAX_FAILURES, example: [] })
  failures!: readonly string[];

  /** The number of further failures. */
  @ApiProperty({ type: 'integer', minimum: 0, example: 0 })
  moreFailures!: number;
}

export class EvidenceReceipt {
  @ApiProperty({ format: 'uuid' })
  evidenceId!: string;

  /** What the upload means for the release now, in one sentence. */
  @ApiProperty({ example: 'Evidence received for v1.4.0 at 4f1c2d9; it counts at the candidate.' })
  message!: string;

  /** The commit of the evidence. */
  @ApiProperty({ example: '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392' })
  commitSha!: string;

  /**
   * The source of that commit: the identity token, or the upload. An upload with an API key that states none gets the candidate, or else
   * the head of the development branch.
   */
  @ApiProperty({ enum: COMMIT_SOURCES })
  commitSource!: CommitSource;

  /** The candidate of the release now; null if it has none, and while it is not known. */
  @ApiProperty({ type: String, nullable: true, example: '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392' })
  candidateSha!: string | null;

  /**
   * `decides`: the verdict of the release rests on the upload. `not_the_candidate`: its commit is not the candidate, or that is not known.
   * `superseded`: it is evidence of the candidate, and the verdict rests on other evidence. `unknown_commit`: GitHub has no such commit.
   */
  @ApiProperty({ enum: UPLOAD_EFFECTS })
  effect!: UploadEffect;

  /** The page of the release. */
  @ApiProperty({ format: 'uri', example: 'https://shipgate.example/w/acme/releases/6f0d1c9a' })
  releaseUrl!: string;

  /** What the service found in the upload, one for each kind of evidence. */
  @ApiProperty({ type: [ReceivedEvidenceDto] })
  pieces!: readonly ReceivedEvidenceDto[];
}

/** Converts a stored item of an upload to its part of the receipt. */
export const toReceivedEvidence = ({
  failures,
  ...item
}: Omit<ReceivedEvidenceDto, 'moreFailures'>): ReceivedEvidenceDto => ({
  ...item,
  failures: failures.slice(0, MAX_FAILURES),
  moreFailures: Math.max(0, failures.length - MAX_FAILURES),
});

/** The fields of a form; `metrics` and `reports` are JSON, the others text. */
export class ReportUploadFields extends UploadFields {
  /** The expected format of every file. The upload is rejected if a file has another one. */
  @ApiPropertyOptional({ example: 'junit' })
  @IsOptional()
  @IsString()
  @Length(1, 32)
  format?: string;
}

/** Evidence of one CI job for one release as a form, with at least one of metrics, reports and file. */
export class ReportUpload extends ReportUploadFields {
  /** The report files, each in a part of this name with a filename; at most 10 MB, unless the operator has set another limit. */
  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', format: 'binary', maxLength: 10_485_760 },
    maxItems: 500,
  })
  file?: readonly string[];
}

/** The limits of a form with reports. */
export class UploadLimitsDto {
  /** The maximum number of files, including documents in `reports`. */
  @ApiProperty({ type: 'integer', minimum: 1, example: MAX_FILES })
  files!: number;

  /** The maximum size of one file. */
  @ApiProperty({ type: 'integer', minimum: 1, example: 10_485_760 })
  file_bytes!: number;

  /** The maximum size of the form as it is sent. */
  @ApiProperty({ type: 'integer', minimum: 1, example: 26_214_400 })
  upload_bytes!: number;

  /** The maximum size of the form after decompression. */
  @ApiProperty({ type: 'integer', minimum: 1, example: 52_428_800 })
  inflated_bytes!: number;
}

/** The settings that a CI client needs. */
export class CiConfigDto {
  /** The version of the service. */
  @ApiProperty({ example: '0.1.0' })
  version!: string;

  /** The audience for which CI runs must request their identity tokens. */
  @ApiProperty({ example: 'shipgate' })
  audience!: string;

  /** The issuer whose identity tokens the service accepts. */
  @ApiProperty({ format: 'uri', example: 'https://token.actions.githubusercontent.com' })
  issuer!: string;

  /** The fields that `POST /api/evidence/upload-report` knows. It rejects every other field. */
  @ApiProperty({ type: [String], example: ['repo', 'version', 'pipeline', 'file'] })
  upload_fields!: readonly string[];

  @ApiProperty()
  limits!: UploadLimitsDto;
}

/** A stored report file. */
export class StoredReportDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ example: 'junit.xml' })
  name!: string;

  /** The report format. `html` and `json` are documents that no parser reads. */
  @ApiProperty({ example: 'junit' })
  format!: string;

  /** The SHA-256 of the uploaded bytes, as `sha256sum` prints it. */
  @ApiProperty({ example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' })
  sha256!: string;

  /** In bytes. */
  @ApiProperty({ type: 'integer', minimum: 0, example: 1480 })
  size!: number;

  /** The URL of the download for signed-in users. */
  @ApiProperty({ format: 'uri', example: 'https://shipgate.example/api/evidence/6f0d/reports/9a51' })
  url!: string;
}

export class ReportReceipt extends EvidenceReceipt {
  /** In the order of the upload. */
  @ApiProperty({ type: [StoredReportDto] })
  reports!: readonly StoredReportDto[];
}
