import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsObject, IsOptional, IsString, IsUrl, Length, Matches, MaxLength } from 'class-validator';
import { EVIDENCE_KINDS, type EvidenceKind } from '../../domain/evidence/evidence.js';
import { LABEL } from './upload-request.js';

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

  /** Tells the jobs of a matrix apart, so that a job that runs again replaces what it said before. */
  @ApiPropertyOptional({ example: 'test (2/4)' })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  @Matches(LABEL, { message: 'job must not hold control characters' })
  job?: string;

  /** Numbers by kind, as `{"unit_tests": {"total": 12, "passed": 12, "failed": 0, "skipped": 0}}`; others are kept. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  @IsOptional()
  @IsObject()
  metrics?: Record<string, unknown>;

  /** Documents for people, by name: a string is kept as HTML, other JSON as it is. Never a verdict. */
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

  /** Where the run can be looked at; for other CI systems it also tells the runs apart. */
  @ApiPropertyOptional({ format: 'uri' })
  @IsOptional()
  @IsUrl({ protocols: ['https', 'http'], require_protocol: true, require_tld: false })
  @MaxLength(2000)
  run_url?: string;
}
