import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsOptional, IsString, IsUUID, Length, Matches, MaxLength, ValidateIf } from 'class-validator';
import { PageInfo, PageQuery } from '../../http/pagination/pagination.dto.js';
import { IsDateTime } from '../../http/validation/field.decorators.js';
import { OverrideDto } from '../releases/gate/gate.dto.js';
import type { HistoryItem } from './history.queries.js';

const MAX_ENVIRONMENT_LENGTH = 255;
const MAX_NOTE_LENGTH = 500;
/** It is shown in one line. */
const NOTE = /^(?=.*\S)[^\p{Cc}\p{Cs}\u2028\u2029]+$/u;
/** Null, as of a field that somebody forgot to fill in, must not stand for now. */
const unlessLeftOut = (name: keyof CreateDeploymentRecordDto) =>
  ValidateIf((told: CreateDeploymentRecordDto) => told[name] !== undefined);

const KINDS: readonly HistoryItem['kind'][] = ['release', 'hotfix', 'rollback', 'ungoverned'];

/** Which deployments are asked for. */
export class HistoryQuery extends PageQuery {
  /** A repository as `owner/repo`, in any case. */
  @ApiPropertyOptional({ example: 'acme/payments' })
  @IsOptional()
  @Matches(/^[\w.-]{1,100}\/[\w.-]{1,100}$/, { message: 'repository must be a repository, as owner/repo' })
  repository?: string;

  /** The first day, in UTC. */
  @ApiPropertyOptional({ type: String, format: 'date', example: '2026-05-01' })
  @IsOptional()
  @IsString()
  from?: string;

  /** The last day, in UTC, which belongs to it. */
  @ApiPropertyOptional({ type: String, format: 'date', example: '2026-05-31' })
  @IsOptional()
  @IsString()
  to?: string;
}

/** A deployment of a release's candidate that was not observed. */
@ApiSchema({ name: 'ToldDeployment' })
export class CreateDeploymentRecordDto {
  /** The release. */
  @ApiProperty({ format: 'uuid', example: '6f0d1c52-3b7a-4e8f-9a51-0c2d4e6f8a1b' })
  @IsUUID()
  milestoneId!: string;

  /** When it was, with an offset from UTC; now where absent. The gate must have been open then. */
  @ApiPropertyOptional({ type: String, format: 'date-time', example: '2026-05-06T18:00:00Z' })
  @unlessLeftOut('deployedAt')
  @IsDateTime('deployedAt')
  deployedAt?: string;

  /** The target of the policy, and that where absent. */
  @ApiPropertyOptional({ example: 'production', maxLength: MAX_ENVIRONMENT_LENGTH })
  @unlessLeftOut('environment')
  @IsString()
  @Length(1, MAX_ENVIRONMENT_LENGTH)
  environment?: string;

  /** What the history is to say about it. */
  @ApiPropertyOptional({ example: 'deployed while GitHub was down', maxLength: MAX_NOTE_LENGTH })
  @unlessLeftOut('note')
  @IsString()
  @MaxLength(MAX_NOTE_LENGTH)
  @Matches(NOTE, { message: 'note must be a sentence in one line' })
  note?: string;
}

/** What two people had set aside of what a deployment rested on. */
@ApiSchema({ name: 'RecordedOverride' })
export class RecordedOverrideDto extends OverrideDto {
  /** The login of who asked for it, as it was then. */
  @ApiProperty({ example: 'ada' })
  requestedBy!: string;

  /** The login of the second person. */
  @ApiProperty({ example: 'bob' })
  confirmedBy!: string;
}

/** A deployment to the target of a repository. Nothing of it ever changes. */
@ApiSchema({ name: 'HistoryRecord' })
export class HistoryItemDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /** The release; null where what was deployed was no release's candidate. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  milestoneId!: string | null;

  @ApiProperty({ example: 'acme' })
  org!: string;

  /** The repository's name, without its organization's. */
  @ApiProperty({ example: 'payments' })
  repo!: string;

  @ApiProperty({ type: String, nullable: true, example: 'v1.4.0' })
  version!: string | null;

  /**
   * `release` and `hotfix` shipped one. `rollback`: a release that was shipped before the last one. `ungoverned`: it went
   * past the gate.
   */
  @ApiProperty({ enum: KINDS })
  kind!: HistoryItem['kind'];

  /** The commit that was deployed: the candidate, or one that differs from it in nothing but `.releases/`. */
  @ApiProperty({ example: '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392' })
  candidateSha!: string;

  @ApiProperty({ example: 'production' })
  environment!: string;

  @ApiProperty({ type: String, format: 'date-time' })
  deployedAt!: Date;

  /** The login of who deployed, or of who recorded it by hand; null where GitHub did not tell. */
  @ApiProperty({ type: String, nullable: true, example: 'ada' })
  deployedBy!: string | null;

  /** The logins of those whose approvals counted. */
  @ApiProperty({ type: [String], example: ['rita'] })
  approvers!: readonly string[];

  /** The decision by which the gate stood open; null where it was not asked about, as of a rollback. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  decisionId!: string | null;

  /** Of the release's scorecard when it was shipped; null where there is none. */
  @ApiProperty({ type: Number, nullable: true, minimum: 0, maximum: 100 })
  score!: number | null;

  /** From when the release left PLANNING, else from when it was made; null where nothing was shipped. */
  @ApiProperty({ type: 'integer', nullable: true, minimum: 0, example: 86_400 })
  leadTimeSeconds!: number | null;

  /** What people had set aside of what it rested on. */
  @ApiProperty({ type: [RecordedOverrideDto] })
  overrides!: readonly RecordedOverrideDto[];

  /** What whoever recorded it by hand noted. */
  @ApiProperty({ type: String, nullable: true, example: 'deployed while GitHub was down' })
  note!: string | null;
}

/** What was deployed. */
@ApiSchema({ name: 'History' })
export class HistoryDto {
  /** The latest first. */
  @ApiProperty({ type: [HistoryItemDto] })
  history!: readonly HistoryItemDto[];

  /** Every repository of the whole history, whatever the filters and the page. */
  @ApiProperty({ type: [String], example: ['acme/payments'] })
  repositories!: readonly string[];

  /** Only with `page` or `pageSize`. */
  @ApiPropertyOptional()
  pagination?: PageInfo;
}
