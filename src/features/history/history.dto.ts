import { ApiProperty, ApiPropertyOptional, IntersectionType } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, IsUUID, Length, Matches, MaxLength, ValidateIf } from 'class-validator';
import {
  DEPLOYMENT_RECORD_KINDS,
  DEPLOYMENT_SOURCES,
  type DeploymentRecordKind,
  type DeploymentSource,
} from '../../domain/history/deployment.js';
import type { AppliedOverride } from '../../domain/override/override.js';
import type { Stored } from '../../domain/release/replay.js';
import { DayRangeQuery } from '../../http/validation/day-range.dto.js';
import { type FilterOf, PageInfo, PageQuery, type QueryMembers } from '../../http/pagination/pagination.dto.js';
import { IsDateTime, IsSearchTerm } from '../../http/validation/field.decorators.js';
import { OverrideDto, toOverrideDto } from '../releases/gate/gate.dto.js';

const MAX_ENVIRONMENT_LENGTH = 255;
const MAX_NOTE_LENGTH = 500;
/** The note is shown in one line. */
const NOTE = /^(?=.*\S)[^\p{Cc}\p{Cs}\u2028\u2029]+$/u;
/** A field that is null, perhaps by mistake, must not mean the default. */
const unlessLeftOut = (name: keyof CreateDeploymentRecordDto) =>
  ValidateIf((input: CreateDeploymentRecordDto) => input[name] !== undefined);

/** One line, counted in Unicode characters. */
const ENVIRONMENT = new RegExp(`^[^\\p{Cc}\\p{Cs}]{1,${MAX_ENVIRONMENT_LENGTH}}$`, 'u');

/** The filter of the deployments. */
export class HistoryFilterQuery extends DayRangeQuery {
  /** A repository as `owner/repo`, ignoring case. */
  @ApiPropertyOptional({ example: 'acme/payments' })
  @IsOptional()
  @Matches(/^[\w.-]{1,100}\/[\w.-]{1,100}$/, { message: 'repository must be a repository, as owner/repo' })
  repository?: string;

  /** The kind of the deployment. */
  @ApiPropertyOptional({ enum: DEPLOYMENT_RECORD_KINDS })
  @IsOptional()
  @IsIn(DEPLOYMENT_RECORD_KINDS, { message: `kind must be ${DEPLOYMENT_RECORD_KINDS.join(', ')}` })
  kind?: DeploymentRecordKind;

  /** The environment, ignoring case. */
  @ApiPropertyOptional({ example: 'production', minLength: 1, maxLength: MAX_ENVIRONMENT_LENGTH })
  @IsOptional()
  @Matches(ENVIRONMENT, { message: `environment must have 1 to ${MAX_ENVIRONMENT_LENGTH} characters` })
  environment?: string;

  @IsSearchTerm(
    "A part of a version, of a repository's name, or of both, as in `catalog v0.9`; of `owner/name` where it has a slash.",
  )
  search?: string;
}

/** The filter of the deployments, with a page. */
export class HistoryQuery extends IntersectionType(HistoryFilterQuery, PageQuery) {}

export const HISTORY_EXPORT_FORMATS = ['csv', 'xlsx'] as const;
export type HistoryExportFormat = (typeof HISTORY_EXPORT_FORMATS)[number];

/** The filter of the deployments, with the format of the file. */
export class HistoryExportQuery extends HistoryFilterQuery {
  /** The format of the file. */
  @ApiProperty({ enum: HISTORY_EXPORT_FORMATS })
  @IsIn(HISTORY_EXPORT_FORMATS, { message: `format must be ${HISTORY_EXPORT_FORMATS.join(', ')}` })
  format!: HistoryExportFormat;
}

export type HistoryFilter = FilterOf<HistoryFilterQuery>;

/** Converts the query to a filter; absent members become null. */
export const toHistoryFilter = (query: QueryMembers<HistoryFilterQuery>): HistoryFilter => ({
  repository: query.repository ?? null,
  from: query.from ?? null,
  to: query.to ?? null,
  kind: query.kind ?? null,
  environment: query.environment ?? null,
  search: query.search ?? null,
});

/** A deployment of a release's candidate that GitHub did not report. */
export class CreateDeploymentRecordDto {
  /** The id of the release. */
  @ApiProperty({ format: 'uuid', example: '6f0d1c52-3b7a-4e8f-9a51-0c2d4e6f8a1b' })
  @IsUUID()
  milestoneId!: string;

  /** The time of the deployment, with an offset from UTC; now if absent. The gate must have been open then. */
  @ApiPropertyOptional({ type: String, format: 'date-time', example: '2026-05-06T18:00:00Z' })
  @unlessLeftOut('deployedAt')
  @IsDateTime('deployedAt')
  deployedAt?: string;

  /** The environment, which must be the target of the policy; the target if absent. */
  @ApiPropertyOptional({ example: 'production', maxLength: MAX_ENVIRONMENT_LENGTH })
  @unlessLeftOut('environment')
  @IsString()
  @Length(1, MAX_ENVIRONMENT_LENGTH)
  environment?: string;

  /** A note for the history. */
  @ApiPropertyOptional({ example: 'deployed while GitHub was down', maxLength: MAX_NOTE_LENGTH })
  @unlessLeftOut('note')
  @IsString()
  @MaxLength(MAX_NOTE_LENGTH)
  @Matches(NOTE, { message: 'note must be a sentence in one line' })
  note?: string;
}

/** An override that a deployment used. */
export class RecordedOverrideDto extends OverrideDto {
  /** The login of the user who requested it, at that time. */
  @ApiProperty({ example: 'ada' })
  requestedBy!: string;

  /** The login of the user who confirmed it. */
  @ApiProperty({ example: 'bob' })
  confirmedBy!: string;
}

export function toRecordedOverride(stored: Stored<AppliedOverride>): RecordedOverrideDto {
  const { kind, id, reason, expiresAt, conditions } = toOverrideDto(stored);
  const { requestedBy, confirmedBy } = stored;
  return { kind, id, reason, requestedBy: requestedBy.login, confirmedBy: confirmedBy.login, expiresAt, conditions };
}

/** A deployment to the target of a repository. A record never changes. */
export class DeploymentRecordDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /** The id of the release; null if the deployed commit was no release's candidate. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  milestoneId!: string | null;

  @ApiProperty({ example: 'acme' })
  org!: string;

  @ApiProperty({ format: 'uuid' })
  repoId!: string;

  /** The name of the repository without its owner. */
  @ApiProperty({ example: 'payments' })
  repo!: string;

  @ApiProperty({ format: 'uri', example: 'https://github.com/acme/payments' })
  repoUrl!: string;

  @ApiProperty({ type: String, nullable: true, example: 'v1.4.0' })
  version!: string | null;

  /**
   * `release` and `hotfix` shipped a release. `rollback`: a release that was shipped before the last one. `ungoverned`: the
   * deployment bypassed the gate.
   */
  @ApiProperty({ enum: DEPLOYMENT_RECORD_KINDS })
  kind!: DeploymentRecordKind;

  /** The deployed commit: the candidate, or a commit that differs from it only in `.releases/`. */
  @ApiProperty({ example: '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392' })
  candidateSha!: string;

  @ApiProperty({
    format: 'uri',
    example: 'https://github.com/acme/payments/commit/4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392',
  })
  candidateUrl!: string;

  @ApiProperty({ example: 'production' })
  environment!: string;

  @ApiProperty({ type: String, format: 'date-time' })
  deployedAt!: Date;

  /** The login of the user who deployed or recorded the deployment; null if GitHub did not return it. */
  @ApiProperty({ type: String, nullable: true, example: 'ada' })
  deployedBy!: string | null;

  /** The logins of the users whose approvals counted. */
  @ApiProperty({ type: [String], example: ['rita'] })
  approvers!: readonly string[];

  /** The decision that opened the gate; null if the gate does not apply, such as for a rollback. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  decisionId!: string | null;

  /** The score of the release when it was shipped; null if there is none. */
  @ApiProperty({ type: Number, nullable: true, minimum: 0, maximum: 100 })
  score!: number | null;

  /** The seconds since the release left PLANNING, or since its creation if it never did; null if nothing was shipped. */
  @ApiProperty({ type: 'integer', nullable: true, minimum: 0, example: 86_400 })
  leadTimeSeconds!: number | null;

  /** The overrides that the deployment used. */
  @ApiProperty({ type: [RecordedOverrideDto] })
  overrides!: readonly RecordedOverrideDto[];

  /** Who reported it: GitHub, a CI run, an API key, or an admin by hand. GitHub if it is known there, too. */
  @ApiProperty({ enum: DEPLOYMENT_SOURCES })
  source!: DeploymentSource;

  /** The name of the API key that reported it; null for every other source. */
  @ApiProperty({ type: String, nullable: true, example: 'Jenkins' })
  keyName!: string | null;

  /** The page of the run that its reports name; null if there is none. */
  @ApiProperty({ type: String, format: 'uri', nullable: true, example: 'https://jenkins.example/job/payments/412/' })
  runUrl!: string | null;

  /** The note of the user who recorded it; null if there is none. */
  @ApiProperty({ type: String, nullable: true, example: 'deployed while GitHub was down' })
  note!: string | null;
}

/** The deployment history. */
export class HistoryDto {
  /** The records, latest first. */
  @ApiProperty({ type: [DeploymentRecordDto] })
  history!: readonly DeploymentRecordDto[];

  /** The repositories of the whole history, regardless of the filters and the page. */
  @ApiProperty({ type: [String], example: ['acme/payments'] })
  repositories!: readonly string[];

  /** The environments of the whole history, at most 100, each once in any letter case. */
  @ApiProperty({ type: [String], maxItems: 100, example: ['production'] })
  environments!: readonly string[];

  /** Only if the request has `page` or `pageSize`. */
  @ApiPropertyOptional()
  pagination?: PageInfo;
}
