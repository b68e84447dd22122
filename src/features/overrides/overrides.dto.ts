import { ApiProperty, ApiPropertyOptional, IntersectionType } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { WAIVABLE_CODES } from '../../domain/override/applied-overrides.js';
import type { OverrideRequest } from '../../domain/override/override.js';
import { PageInfo, PageQuery } from '../../http/pagination/pagination.dto.js';
import { IsDateTime } from '../../http/validation/field.decorators.js';
import { SubjectDto, toSubjectDto } from '../releases/gate/gate.dto.js';
import { ReleaseReferenceDto } from '../releases/lists/release-list.dto.js';
import type { Dated, OverrideByKind } from './overrides.repository.js';

export const NO_RELEASE = 'There is no such release, or you cannot read it.';
export const OWN = 'You created the request yourself.';
export const NOT_CONFIRMABLE_CODES = [
  'already_confirmed',
  'requester_not_admin',
  'shipped',
  'cancelled',
  'no_candidate',
  'other_candidate',
] as const;
export const NOT_CONFIRMABLE =
  'It was confirmed already, its requester is not an admin any more, or the release is shipped, cancelled or has another candidate.';

const MAX_REASON_LENGTH = 500;

/** A reason is shown in one line wherever the verdict is shown. */
const REASON_PATTERN = /^(?=.*\S)[^\p{Cc}\p{Cs}\u2028\u2029]+$/u;
const REASON_PROBLEM = 'reason must be a sentence in one line';

const MAX_CODE_LENGTH = 100;
const SHA = /^[0-9a-f]{40}$/;
const COMMIT = '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392';

/** The waiver to request. */
export class CreateWaiverDto {
  /** The code of the condition. The waiver covers all conditions with this code that are unmet now at the current candidate. */
  @ApiProperty({ enum: WAIVABLE_CODES, example: 'check_failing' })
  @IsString()
  @MaxLength(MAX_CODE_LENGTH)
  condition!: string;

  /** The reason for the waiver. */
  @ApiProperty({ maxLength: MAX_REASON_LENGTH, example: 'The e2e environment is down; verified by hand.' })
  @IsString()
  @MaxLength(MAX_REASON_LENGTH)
  @Matches(REASON_PATTERN, { message: REASON_PROBLEM })
  reason!: string;

  /** When the waiver ends, within the next 7 days, with an offset from UTC. */
  @ApiProperty({ type: String, format: 'date-time', example: '2026-05-06T18:00:00Z' })
  @IsDateTime('expiresAt')
  expiresAt!: string;
}

/** The break-glass request to create. */
export class CreateBreakGlassRequestDto {
  /** The commit, which must be the candidate. */
  @ApiProperty({ example: COMMIT })
  @IsString()
  @MaxLength(40)
  @Matches(SHA, { message: 'sha must be a commit in 40 lower-case hexadecimal digits' })
  sha!: string;

  /** The reason why the deployment cannot wait. */
  @ApiProperty({ maxLength: MAX_REASON_LENGTH, example: 'Payments are down; this is the fix.' })
  @IsString()
  @MaxLength(MAX_REASON_LENGTH)
  @Matches(REASON_PATTERN, { message: REASON_PROBLEM })
  reason!: string;
}

class OverrideRequestDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ example: 'verified by hand' })
  reason!: string;

  @ApiProperty({ type: String, format: 'date-time' })
  requestedAt!: Date;

  /** The login of the user who requested it, at that time. */
  @ApiProperty({ example: 'ada' })
  requestedBy!: string;

  /** The GitHub id of that user. Unlike the login it never changes, so it identifies your own requests. */
  @ApiProperty({ type: 'integer', example: 583231 })
  requestedById!: number;

  /** The login of the user who confirmed it; null while it waits for a confirmation. */
  @ApiProperty({ type: String, nullable: true, example: 'bob' })
  confirmedBy!: string | null;

  /** The GitHub id of that user; null while it waits for a confirmation. */
  @ApiProperty({ type: 'integer', nullable: true, example: 1024025 })
  confirmedById!: number | null;

  /** Until when it can be confirmed and, once it is confirmed, until when it is in effect. */
  @ApiProperty({ type: String, format: 'date-time' })
  expiresAt!: Date;
}

export const toOverrideRequestDto = ({
  id,
  reason,
  requestedAt,
  requestedBy,
  confirmedBy,
  expiresAt,
}: Dated<OverrideRequest>) => ({
  id,
  reason,
  requestedAt,
  requestedBy: requestedBy.login,
  requestedById: requestedBy.id,
  confirmedBy: confirmedBy?.login ?? null,
  confirmedById: confirmedBy?.id ?? null,
  expiresAt,
});

export class WaiverDto extends OverrideRequestDto {
  @ApiProperty({ enum: WAIVABLE_CODES })
  condition!: string;

  /**
   * What it covers: the failed tests, findings, runs of checks, issues or freezes that were unmet at the time of the request. A condition
   * with another subject is not covered.
   */
  @ApiProperty({ type: [SubjectDto] })
  subjects!: readonly SubjectDto[];

  /** The details of the conditions at the time of the request. They explain the subjects and decide nothing. */
  @ApiProperty({ type: [String], example: ['The required check "e2e" failed.'] })
  details!: string[];

  /** The candidate that it applies to. It ends when the candidate changes. */
  @ApiProperty({ example: COMMIT })
  candidateSha!: string;
}

export const toWaiverDto = ({
  condition,
  subjects,
  details,
  candidateSha,
  ...request
}: OverrideByKind['waiver']): WaiverDto => ({
  ...toOverrideRequestDto(request),
  condition,
  subjects: subjects.map(toSubjectDto),
  details: [...details],
  candidateSha,
});

export class WaiversDto {
  /** The waivers that are in effect or wait for a confirmation, oldest first. */
  @ApiProperty({ type: [WaiverDto] })
  waivers!: WaiverDto[];
}

export class BreakGlassRequestDto extends OverrideRequestDto {
  /** The only commit that the gate is open for. */
  @ApiProperty({ example: COMMIT })
  sha!: string;
}

export class BreakGlassRequestsDto {
  /** The break-glass requests that are in effect or wait for a confirmation, oldest first. */
  @ApiProperty({ type: [BreakGlassRequestDto] })
  breakGlass!: BreakGlassRequestDto[];
}

const OVERRIDE_STATES = ['waiting', 'in_force'] as const;
export type OverrideState = (typeof OVERRIDE_STATES)[number];

/** The filter of the overrides of all releases. */
export class OverrideListQuery extends PageQuery {
  /** `waiting`: requests that a second admin can confirm. `in_force`: confirmed ones. If absent, both. */
  @ApiPropertyOptional({ enum: OVERRIDE_STATES })
  @IsOptional()
  @IsIn(OVERRIDE_STATES, { message: `state must be ${OVERRIDE_STATES.join(', ')}` })
  state?: OverrideState;
}

/** A waiver or break-glass request with its release. */
export class ListedOverrideDto extends IntersectionType(ReleaseReferenceDto, OverrideRequestDto) {
  @ApiProperty({ enum: ['waiver', 'break_glass'] })
  kind!: 'waiver' | 'break_glass';

  /** The code of the conditions that a waiver covers; null for break-glass. */
  @ApiProperty({ enum: [...WAIVABLE_CODES, null], type: String, nullable: true })
  condition!: string | null;

  /** What a waiver covers; null for break-glass. */
  @ApiProperty({ type: [SubjectDto], nullable: true })
  subjects!: readonly SubjectDto[] | null;

  /** The details of the conditions of a waiver at the time of the request; null for break-glass. */
  @ApiProperty({ type: [String], nullable: true, example: ['The required check "e2e" failed.'] })
  details!: readonly string[] | null;

  /** The candidate that it applies to. */
  @ApiProperty({ example: COMMIT })
  sha!: string;
}

export class OverrideListDto {
  /** The overrides, first those that end first. */
  @ApiProperty({ type: [ListedOverrideDto] })
  overrides!: readonly ListedOverrideDto[];

  @ApiProperty()
  pagination!: PageInfo;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The freeze to create for the workspace. */
export class CreateFreezeDto {
  /** The first day, in UTC. */
  @ApiProperty({ type: String, format: 'date', example: '2099-12-20' })
  @IsString()
  @Matches(DAY, { message: 'from must be a day, as YYYY-MM-DD' })
  from!: string;

  /** The last day, in UTC; it is included. */
  @ApiProperty({ type: String, format: 'date', example: '2099-12-31' })
  @IsString()
  @Matches(DAY, { message: 'to must be a day, as YYYY-MM-DD' })
  to!: string;

  /** The reason, shown to users and CI runs that meet the closed gate. */
  @ApiProperty({ maxLength: MAX_REASON_LENGTH, example: 'year end' })
  @IsString()
  @MaxLength(MAX_REASON_LENGTH)
  @Matches(REASON_PATTERN, { message: REASON_PROBLEM })
  reason!: string;
}

export class FreezeDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /** The first day, in UTC. */
  @ApiProperty({ type: String, format: 'date', example: '2099-12-20' })
  from!: string;

  /** The last day, in UTC; it is included. */
  @ApiProperty({ type: String, format: 'date', example: '2099-12-31' })
  to!: string;

  @ApiProperty({ example: 'year end' })
  reason!: string;

  /** The present login of the admin who created it; null if the service does not know the user any more. */
  @ApiProperty({ type: String, nullable: true, example: 'ada' })
  createdBy!: string | null;

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: Date;
}

export class FreezesDto {
  /** The current and future freezes, earliest first. */
  @ApiProperty({ type: [FreezeDto] })
  freezes!: FreezeDto[];
}
