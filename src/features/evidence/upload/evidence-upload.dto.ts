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
import { LABEL_PATTERN, MAX_FILES } from './upload-body.js';

/** What every upload says of itself, whatever way it comes. */
class UploadFields {
  /** Where sent, it must be the organization of the credential. */
  @ApiPropertyOptional({ example: 'acme' })
  @IsOptional()
  @IsString()
  @Length(1, 100)
  org?: string;

  /** The repository, as `name` or `owner/name`. */
  @ApiProperty({ example: 'acme/payments' })
  @Matches(/^([\w.-]{1,100}\/)?[\w.-]{1,100}$/, { message: 'repo must be a repository, as name or owner/name' })
  repo!: string;

  /** The release's version, exactly as its milestone is called. */
  @ApiProperty({ example: 'v1.4.0' })
  @IsString()
  @Length(1, 100)
  version!: string;

  /** The pipeline's display name. */
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
   * The job of the run, with its cell of the matrix: a later attempt of the same job replaces what an earlier one uploaded. With an
   * identity token GitHub tells the job, and this field is not needed.
   */
  @ApiPropertyOptional({ example: 'test (2/4)' })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  @Matches(LABEL_PATTERN, { message: 'job must not hold control characters' })
  job?: string;

  /** How often the job was tried in its run, from 1 on. An identity token's own attempt wins over it. */
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1 })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  run_attempt?: number;

  /** The group of jobs that upload together, where no identity token proves the job; needs `job` and `job_total`. */
  @ApiPropertyOptional({ example: 'unit tests' })
  @IsOptional()
  @IsString()
  @Length(1, 200)
  @Matches(LABEL_PATTERN, { message: 'job_group must not hold control characters' })
  job_group?: string;

  /** How many jobs of the group upload; while fewer did, the evidence is incomplete. */
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 256 })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(256)
  job_total?: number;

  /** Numbers by kind, as `{"unit_tests": {"total": 12, "passed": 12, "failed": 0, "skipped": 0}}`; others are kept. At most 10,000 values in 256 KB. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  @IsOptional()
  @IsObject()
  metrics?: Record<string, unknown>;

  /** Documents for people, by name: a string is kept as HTML, other JSON as it is. Never a verdict. At most 500, files included; names of 1 to 255 characters. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  @IsOptional()
  @IsObject()
  reports?: Record<string, unknown>;

  /** What was tested. An identity token's own commit wins over it. */
  @ApiPropertyOptional({ example: '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392' })
  @IsOptional()
  @Matches(/^[0-9a-f]{40}$/, { message: 'commit_sha must be a commit in 40 lower-case hexadecimal digits' })
  commit_sha?: string;

  /** Needed only where neither the metrics nor the files say it. */
  @ApiPropertyOptional({ enum: EVIDENCE_KINDS })
  @IsOptional()
  @IsIn(EVIDENCE_KINDS)
  kind?: EvidenceKind;

  /** Where the run can be looked at; for other CI systems it also tells the runs apart. A token tells its run itself. */
  @ApiPropertyOptional({ format: 'uri' })
  @IsOptional()
  @IsUrl({ protocols: ['https', 'http'], require_protocol: true, require_tld: false })
  @MaxLength(2000)
  run_url?: string;
}

/** A report as a CI run wrote it; its content decides what it is. */
export class UploadedFile {
  @ApiProperty({ example: 'junit.xml' })
  @IsString()
  @Length(1, 255)
  @Matches(LABEL_PATTERN, { message: 'filename must not hold control characters' })
  filename!: string;

  /** The file's text: at most 5 MB in UTF-8, unless the operator has set another limit. */
  @ApiProperty({ maxLength: 5_242_880 })
  @IsString()
  content!: string;

  /** Refused where the content is something else. */
  @ApiPropertyOptional({ type: String, example: 'junit' })
  @IsOptional()
  @IsString()
  @Length(1, 32)
  format?: string | null;
}

/** Evidence of one CI job for one release; at least one of metrics, reports and files. */
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
  /** What every file is; refused where the content of one is something else. */
  @ApiPropertyOptional({ example: 'junit' })
  @IsOptional()
  @IsString()
  @Length(1, 32)
  format?: string;
}

/** Evidence of one CI job for one release, as a form; at least one of metrics, reports and file. */
export class ReportUpload extends ReportUploadFields {
  /** The reports, each in a part of this name and with a filename; at most 10 MB, unless the operator has set another limit. */
  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', format: 'binary', maxLength: 10_485_760 },
    maxItems: 500,
  })
  file?: readonly string[];
}

/** A file that is kept. */
export class StoredReportDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ example: 'junit.xml' })
  name!: string;

  /** What its content is: `html` and `json` are kept for people, all others were read. */
  @ApiProperty({ example: 'junit' })
  format!: string;

  /** Of its bytes as they were uploaded, which is what `sha256sum` says of the file. */
  @ApiProperty({ example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' })
  sha256!: string;

  /** In bytes. */
  @ApiProperty({ type: 'integer', minimum: 0, example: 1480 })
  size!: number;

  /** Where people who are signed in download it. */
  @ApiProperty({ format: 'uri', example: 'https://shipgate.example/api/evidence/6f0d/reports/9a51' })
  url!: string;
}

export class ReportReceipt extends EvidenceReceipt {
  /** In the order in which they came. */
  @ApiProperty({ type: [StoredReportDto] })
  reports!: readonly StoredReportDto[];
}
