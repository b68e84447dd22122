import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
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
} from 'class-validator';
import { EVIDENCE_KINDS, type EvidenceKind } from '../../../domain/evidence/evidence.js';
import { LABEL } from './upload-body.js';

/** What every upload says of itself, whatever way it comes. */
export class UploadFields {
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
  @Matches(LABEL, { message: 'pipeline must not hold control characters' })
  pipeline!: string;

  /** The environment that was tested. */
  @ApiPropertyOptional({ example: 'staging', default: 'ci' })
  @IsOptional()
  @IsString()
  @Length(1, 100)
  @Matches(LABEL, { message: 'environment must not hold control characters' })
  environment?: string;

  /**
   * The job of the run, with its cell of the matrix: a later attempt of the same job replaces what an earlier one uploaded. With an
   * identity token GitHub tells the job, and this field is not needed.
   */
  @ApiPropertyOptional({ example: 'test (2/4)' })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  @Matches(LABEL, { message: 'job must not hold control characters' })
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
  @Matches(LABEL, { message: 'job_group must not hold control characters' })
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
