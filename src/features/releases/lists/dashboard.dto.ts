import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { type Outcome, OUTCOMES } from '../../../domain/release/outcome.js';
import { PageInfo } from '../../../http/pagination/page-info.js';
import { PageQuery } from '../../../http/pagination/page-query.js';
import { IsSearch } from '../../../http/validation/search.js';
import { ReleaseCardDto } from './release-card.dto.js';

const ANY = 'all';

/** Which active releases are asked for. */
export class DashboardQuery extends PageQuery {
  @IsSearch("A part of a version or of a repository's name; of `owner/name` where it has a slash.")
  search?: string;

  @ApiPropertyOptional({
    description: 'The outcome of the releases that are listed.',
    enum: [ANY, ...OUTCOMES],
    default: ANY,
  })
  @IsOptional()
  @IsIn([ANY, ...OUTCOMES], { message: `outcome must be ${[ANY, ...OUTCOMES].join(', ')}` })
  outcome?: Outcome | typeof ANY;
}

/** The outcome that is asked for; null where any is. */
export const outcomeIn = ({ outcome = ANY }: DashboardQuery): Outcome | null => (outcome === ANY ? null : outcome);

/** Of all active releases that match the search, whatever the outcome and the page; the four make up `all`. */
@ApiSchema({ name: 'OutcomeCounts' })
export class OutcomeCountsDto {
  @ApiProperty({ type: 'integer', minimum: 0 })
  all!: number;

  /** Somebody has to put something right, or deployments are frozen. */
  @ApiProperty({ type: 'integer', minimum: 0 })
  blocked!: number;

  @ApiProperty({ type: 'integer', minimum: 0 })
  needs_approval!: number;

  /** The gate is open. */
  @ApiProperty({ type: 'integer', minimum: 0 })
  ready_to_deploy!: number;

  @ApiProperty({ type: 'integer', minimum: 0 })
  in_progress!: number;
}

/** The releases on their way. */
@ApiSchema({ name: 'Dashboard' })
export class DashboardDto {
  /** What changed last first. */
  @ApiProperty({ type: [ReleaseCardDto] })
  releases!: readonly ReleaseCardDto[];

  @ApiProperty()
  counts!: OutcomeCountsDto;

  /** Only with `page` or `pageSize`. */
  @ApiPropertyOptional()
  pagination?: PageInfo;
}
