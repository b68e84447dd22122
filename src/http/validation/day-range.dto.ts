import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';

/** The days of a filter. `validateDayRange` finds days that do not exist and ranges that end before they begin. */
export class DayRangeQuery {
  /** The first day, in UTC. */
  @ApiPropertyOptional({ type: String, format: 'date', example: '2026-05-01' })
  @IsOptional()
  @IsString()
  from?: string;

  /** The last day, in UTC; it is included. */
  @ApiPropertyOptional({ type: String, format: 'date', example: '2026-05-31' })
  @IsOptional()
  @IsString()
  to?: string;
}
