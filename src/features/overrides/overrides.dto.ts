import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { IsString, Matches, MaxLength } from 'class-validator';
import { WAIVABLE_CODES } from '../../domain/override/applied-overrides.js';
import { IsDateTime } from '../../http/validation/field.decorators.js';

const MAX_REASON_LENGTH = 500;

/** A reason is shown in one line, wherever the verdict is. */
const REASON_PATTERN = /^(?=.*\S)[^\p{Cc}\p{Cs}\u2028\u2029]+$/u;
const REASON_PROBLEM = 'reason must be a sentence in one line';

const MAX_CODE_LENGTH = 100;
const SHA = /^[0-9a-f]{40}$/;
const COMMIT = '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392';

/** What is to be set aside for some days. */
export class CreateWaiverDto {
  /** The code of the condition: all that is unmet under it now, at the candidate of now. */
  @ApiProperty({ enum: WAIVABLE_CODES, example: 'check_failing' })
  @IsString()
  @MaxLength(MAX_CODE_LENGTH)
  condition!: string;

  /** Why that is right. */
  @ApiProperty({ maxLength: MAX_REASON_LENGTH, example: 'The e2e environment is down; verified by hand.' })
  @IsString()
  @MaxLength(MAX_REASON_LENGTH)
  @Matches(REASON_PATTERN, { message: REASON_PROBLEM })
  reason!: string;

  /** When it ends, within the next 7 days, with an offset from UTC. */
  @ApiProperty({ type: String, format: 'date-time', example: '2026-05-06T18:00:00Z' })
  @IsDateTime('expiresAt')
  expiresAt!: string;
}

/** Which commit is to be deployed whatever is unmet. */
export class CreateBreakGlassRequestDto {
  /** The candidate. */
  @ApiProperty({ example: COMMIT })
  @IsString()
  @MaxLength(40)
  @Matches(SHA, { message: 'sha must be a commit in 40 lower-case hexadecimal digits' })
  sha!: string;

  /** Why it cannot wait. */
  @ApiProperty({ maxLength: MAX_REASON_LENGTH, example: 'Payments are down; this is the fix.' })
  @IsString()
  @MaxLength(MAX_REASON_LENGTH)
  @Matches(REASON_PATTERN, { message: REASON_PROBLEM })
  reason!: string;
}

class TwoPersonActDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ example: 'verified by hand' })
  reason!: string;

  /** The login of who asked for it, as it was then. */
  @ApiProperty({ example: 'ada' })
  requestedBy!: string;

  /** The login of the second person; null as long as it waits for one. */
  @ApiProperty({ type: String, nullable: true, example: 'bob' })
  confirmedBy!: string | null;

  /** Until when it may be confirmed, and once it is, until when it holds. */
  @ApiProperty({ type: String, format: 'date-time' })
  expiresAt!: Date;
}

@ApiSchema({ name: 'Waiver' })
export class WaiverDto extends TwoPersonActDto {
  @ApiProperty({ enum: WAIVABLE_CODES })
  condition!: string;

  /** What it covers: these conditions as they stood when it was asked for, and no others with the same code. */
  @ApiProperty({ type: [String], example: ['The required check "e2e" failed.'] })
  details!: string[];

  /** The commit that it is for; with another candidate it ends. */
  @ApiProperty({ example: COMMIT })
  candidateSha!: string;
}

@ApiSchema({ name: 'Waivers' })
export class WaiversDto {
  /** Those that hold or wait for a second person, the oldest first. */
  @ApiProperty({ type: [WaiverDto] })
  waivers!: WaiverDto[];
}

@ApiSchema({ name: 'BreakGlass' })
export class BreakGlassDto extends TwoPersonActDto {
  /** The only commit that the gate is open for. */
  @ApiProperty({ example: COMMIT })
  sha!: string;
}

@ApiSchema({ name: 'BrokenGlass' })
export class BreakGlassRequestsDto {
  /** What holds or waits for a second person, the oldest first. */
  @ApiProperty({ type: [BreakGlassDto] })
  breakGlass!: BreakGlassDto[];
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** When nothing of the workspace is deployed, and why. */
export class CreateFreezeDto {
  /** The first day, in UTC. */
  @ApiProperty({ type: String, format: 'date', example: '2099-12-20' })
  @IsString()
  @Matches(DAY, { message: 'from must be a day, as YYYY-MM-DD' })
  from!: string;

  /** The last day, which belongs to it. */
  @ApiProperty({ type: String, format: 'date', example: '2099-12-31' })
  @IsString()
  @Matches(DAY, { message: 'to must be a day, as YYYY-MM-DD' })
  to!: string;

  /** What whoever meets the closed gate is told. */
  @ApiProperty({ maxLength: MAX_REASON_LENGTH, example: 'year end' })
  @IsString()
  @MaxLength(MAX_REASON_LENGTH)
  @Matches(REASON_PATTERN, { message: REASON_PROBLEM })
  reason!: string;
}

@ApiSchema({ name: 'Freeze' })
export class FreezeDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /** The first day, in UTC. */
  @ApiProperty({ type: String, format: 'date', example: '2099-12-20' })
  from!: string;

  /** The last day, which belongs to it. */
  @ApiProperty({ type: String, format: 'date', example: '2099-12-31' })
  to!: string;

  @ApiProperty({ example: 'year end' })
  reason!: string;
}

@ApiSchema({ name: 'Freezes' })
export class FreezesDto {
  /** Those that hold or will, the earliest first. */
  @ApiProperty({ type: [FreezeDto] })
  freezes!: FreezeDto[];
}
