import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { IsString, Matches, MaxLength } from 'class-validator';
import { WAIVABLE_CODES } from '../../domain/override/override-reach.js';
import { IsMoment } from '../../http/validation/moment.js';
import { MAX_REASON_LENGTH, REASON, REASON_PROBLEM } from './override-reason.js';

const MAX_CODE_LENGTH = 100;
const SHA = /^[0-9a-f]{40}$/;
const COMMIT = '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392';

/** What is to be set aside for some days. */
export class WaiverRequest {
  /** The code of the condition: all that is unmet under it now, at the candidate of now. */
  @ApiProperty({ enum: WAIVABLE_CODES, example: 'check_failing' })
  @IsString()
  @MaxLength(MAX_CODE_LENGTH)
  condition!: string;

  /** Why that is right. */
  @ApiProperty({ maxLength: MAX_REASON_LENGTH, example: 'The e2e environment is down; verified by hand.' })
  @IsString()
  @MaxLength(MAX_REASON_LENGTH)
  @Matches(REASON, { message: REASON_PROBLEM })
  reason!: string;

  /** When it ends, within the next 7 days, with an offset from UTC. */
  @ApiProperty({ type: String, format: 'date-time', example: '2026-05-06T18:00:00Z' })
  @IsMoment('expiresAt')
  expiresAt!: string;
}

/** Which commit is to be deployed whatever is unmet. */
export class BreakGlassRequest {
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
  @Matches(REASON, { message: REASON_PROBLEM })
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
export class BrokenGlassDto {
  /** What holds or waits for a second person, the oldest first. */
  @ApiProperty({ type: [BreakGlassDto] })
  breakGlass!: BreakGlassDto[];
}
