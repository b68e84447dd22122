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
import { EVIDENCE_KINDS, type EvidenceKind } from '../../../domain/evidence/evidence.js';
import { LABEL_PATTERN, MAX_FILES } from '../parsing/upload-body.js';

/** The fields of every upload. */
class UploadFields {
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
  @Matches(LABEL_PATTERN, { message: 'pipeline must not hold control characters' })
  pipeline!: string;

  /** The environment that was tested. */
  @ApiPropertyOptional({ example: 'staging', default: 'ci' })
  @IsOptional()
  @IsString()
  @Length(1, 100)
  @Matches(LABEL_PATTERN, { message: 'environment must not hold control characters' })
  environment?: string;

  /**
   * The job of the run with its matrix values. A later attempt of the same job replaces the evidence of an earlier one. Not needed
   * with an identity token, because GitHub names the job.
   */
  @ApiPropertyOptional({ example: 'test (2/4)' })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  @Matches(LABEL_PATTERN, { message: 'job must not hold control characters' })
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
  @Matches(LABEL_PATTERN, { message: 'job_group must not hold control characters' })
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
  @Matches(LABEL_PATTERN, { message: 'filename must not hold control characters' })
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

export class EvidenceReceipt {
  @ApiProperty({ format: 'uuid' })
  evidenceId!: string;

  @ApiProperty({ example: 'Evidence received for v1.4.0.' })
  message!: string;
}

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
