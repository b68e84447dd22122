import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { type Outcome, OUTCOMES, READINESS_STATUSES, type ReadinessStatus } from '../../../domain/release/outcome.js';
import { type Stage, STAGES } from '../../../domain/release/stage.js';
import { PageInfo, PageQuery } from '../../../http/pagination/pagination.dto.js';
import { IsSearchTerm } from '../../../http/validation/field.decorators.js';
import { ConditionDto } from '../gate/gate.dto.js';

/** The issues in the scope of a release. */
@ApiSchema({ name: 'IssueCounts' })
export class IssueCountsDto {
  @ApiProperty({ type: 'integer', minimum: 0, example: 2 })
  open!: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 14 })
  closed!: number;
}

/** Whether the release may be deployed, by what is stored of it. */
@ApiSchema({ name: 'Readiness' })
export class ReadinessDto {
  /**
   * `ready` alone counts. `pending`: it is being thought over. `unknown`: a fact could not be read. `expired`: its facts
   * are too old to rest on.
   */
  @ApiProperty({ enum: READINESS_STATUSES })
  status!: ReadinessStatus;

  /** When it was last thought over; null where it never was. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  observedAt!: Date | null;
}

/** A release, as lists show it. */
@ApiSchema({ name: 'Release' })
export class ReleaseCardDto {
  @ApiProperty({ format: 'uuid' })
  milestoneId!: string;

  @ApiProperty({ example: 'acme' })
  org!: string;

  /** The repository's name, without its organization's. */
  @ApiProperty({ example: 'payments' })
  repo!: string;

  @ApiProperty({ example: 'v1.4.0' })
  version!: string;

  /** What the milestone is called now; it differs from the version where somebody renamed it. */
  @ApiProperty({ example: 'v1.4.0' })
  title!: string;

  @ApiProperty({ enum: STAGES })
  stage!: Stage;

  /** Null where the release is shipped or cancelled. */
  @ApiProperty({ enum: [...OUTCOMES, null], nullable: true, type: String })
  outcome!: Outcome | null;

  /** The first of what keeps its gate closed, what blocks before what is merely not met yet. */
  @ApiProperty({ type: [ConditionDto], maxItems: 5 })
  blockers!: readonly ConditionDto[];

  /** How many more there are. */
  @ApiProperty({ type: 'integer', minimum: 0, example: 0 })
  moreBlockers!: number;

  /** The commit that would ship; null where there is none yet. */
  @ApiProperty({ type: String, nullable: true, example: '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392' })
  candidateSha!: string | null;

  /** Of the latest evidence pull request; null where there was none yet. */
  @ApiProperty({ type: 'integer', nullable: true, minimum: 1, example: 42 })
  evidencePrNumber!: number | null;

  @ApiProperty({ type: String, format: 'uri', nullable: true, example: 'https://github.com/acme/payments/pull/42' })
  evidencePrUrl!: string | null;

  @ApiProperty({ format: 'uri', example: 'https://github.com/acme/payments/milestone/7' })
  milestoneUrl!: string;

  @ApiProperty({ type: 'integer', example: 7 })
  milestoneNumber!: number;

  /** Null until they were read. */
  @ApiProperty({ type: IssueCountsDto, nullable: true })
  issues!: IssueCountsDto | null;

  @ApiProperty()
  readiness!: ReadinessDto;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  dueOn!: Date | null;

  /** When anything about it last changed. */
  @ApiProperty({ type: String, format: 'date-time' })
  updatedAt!: Date;

  /** When it was shipped; null where it was not. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  deployedAt!: Date | null;

  /** Since when it is cancelled; null where it is not. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  cancelledAt!: Date | null;
}

const ANY = 'all';

/** Which active releases are asked for. */
export class DashboardQuery extends PageQuery {
  @IsSearchTerm("A part of a version or of a repository's name; of `owner/name` where it has a slash.")
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

/** Which releases of the repository are asked for. */
export class ReleaseListQuery extends PageQuery {
  @IsSearchTerm('A part of a version.')
  search?: string;
}

/** The releases of a repository. */
@ApiSchema({ name: 'ReleaseList' })
export class ReleaseListDto {
  /** The newest version first, by precedence; shipped and cancelled ones included. */
  @ApiProperty({ type: [ReleaseCardDto] })
  milestones!: readonly ReleaseCardDto[];

  /** Only with `page` or `pageSize`. */
  @ApiPropertyOptional()
  pagination?: PageInfo;
}
