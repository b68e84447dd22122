import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { IsString, Matches, MaxLength } from 'class-validator';
import { MAX_REASON_LENGTH, REASON, REASON_PROBLEM } from './override-reason.js';

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** When nothing of the workspace is deployed, and why. */
export class FreezeOrder {
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
  @Matches(REASON, { message: REASON_PROBLEM })
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
