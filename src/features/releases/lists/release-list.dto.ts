import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import {
  type Outcome,
  OUTCOMES,
  READINESS_STATUSES,
  type ReadinessStatus,
  RELEASE_ORDERS,
  type ReleaseOrder,
} from '../../../domain/release/outcome.js';
import { MAX_CONDITION_USERS } from '../../../domain/release/condition-users.js';
import { type Stage, STAGES } from '../../../domain/facts/condition.js';
import { PageInfo, PageQuery } from '../../../http/pagination/pagination.dto.js';
import { IsSearchTerm } from '../../../http/validation/field.decorators.js';
import { ConditionDto } from '../gate/gate.dto.js';
import { ReleaseUserDto } from '../records/release-user.dto.js';

/** The number of open and closed issues in the scope of a release. */
export class IssueCountsDto {
  @ApiProperty({ type: 'integer', minimum: 0, example: 2 })
  open!: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 14 })
  closed!: number;
}

/** Whether the release may be deployed, by stored facts. */
export class ReadinessDto {
  /**
   * Only `ready` permits a deployment. `pending`: the evaluation is queued. `unknown`: a fact could not be read. `expired`: the
   * facts are too old.
   */
  @ApiProperty({ enum: READINESS_STATUSES })
  status!: ReadinessStatus;

  /** When it was last evaluated; null if never. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  observedAt!: Date | null;

  /**
   * When the status ends with time alone, because a fact expires or a freeze begins or ends. It is in the past if the status is
   * `expired`. Null if no verdict is valid.
   */
  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-05-04T14:32:00.000Z' })
  validUntil!: Date | null;
}

/** A condition in a list of releases. */
export class ListedConditionDto extends ConditionDto {
  /**
   * The users whom the facts name: the assignees of an open issue, the author of the commit whose check or
   * evidence fails, or the reviewers. Empty if the facts name none or more of them than a list shows.
   */
  @ApiProperty({ type: [ReleaseUserDto], maxItems: MAX_CONDITION_USERS })
  users!: readonly ReleaseUserDto[];
}

/** The days of a freeze of the workspace. */
export class FreezeDaysDto {
  /** The first day, in UTC. */
  @ApiProperty({ format: 'date', example: '2026-12-20' })
  from!: string;

  /** The last day, in UTC. */
  @ApiProperty({ format: 'date', example: '2027-01-02' })
  to!: string;

  @ApiProperty({ example: 'end of the year' })
  reason!: string;
}

/** Identifies a release, for programs and for readers. */
export class ReleaseReferenceDto {
  @ApiProperty({ format: 'uuid' })
  milestoneId!: string;

  @ApiProperty({ example: 'acme' })
  org!: string;

  @ApiProperty({ format: 'uuid' })
  repoId!: string;

  /** The name of the repository without its owner. */
  @ApiProperty({ example: 'payments' })
  repo!: string;

  @ApiProperty({ example: 'v1.4.0' })
  version!: string;
}

/** A release in a list. */
@ApiSchema({ name: 'Release' })
export class ReleaseSummaryDto extends ReleaseReferenceDto {
  @ApiProperty({ format: 'uri', example: 'https://github.com/acme/payments' })
  repoUrl!: string;

  /** The current title of the milestone. It differs from the version if a user renamed the milestone. */
  @ApiProperty({ example: 'v1.4.0' })
  title!: string;

  @ApiProperty({ enum: STAGES })
  stage!: Stage;

  /** Null if the release is shipped or cancelled. */
  @ApiProperty({ enum: [...OUTCOMES, null], nullable: true, type: String })
  outcome!: Outcome | null;

  /** The first conditions that keep its gate closed, blocking ones before those that are only not met yet. */
  @ApiProperty({ type: [ListedConditionDto], maxItems: 5 })
  blockers!: readonly ListedConditionDto[];

  /** The number of further conditions. */
  @ApiProperty({ type: 'integer', minimum: 0, example: 0 })
  moreBlockers!: number;

  /** The commit that would ship; null if there is none yet. */
  @ApiProperty({ type: String, nullable: true, example: '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392' })
  candidateSha!: string | null;

  /** Null if there is no candidate yet. */
  @ApiProperty({
    type: String,
    format: 'uri',
    nullable: true,
    example: 'https://github.com/acme/payments/commit/4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392',
  })
  candidateUrl!: string | null;

  /** The number of the latest evidence pull request; null if there is none yet. */
  @ApiProperty({ type: 'integer', nullable: true, minimum: 1, example: 42 })
  evidencePrNumber!: number | null;

  @ApiProperty({ type: String, format: 'uri', nullable: true, example: 'https://github.com/acme/payments/pull/42' })
  evidencePrUrl!: string | null;

  @ApiProperty({ format: 'uri', example: 'https://github.com/acme/payments/milestone/7' })
  milestoneUrl!: string;

  @ApiProperty({ type: 'integer', example: 7 })
  milestoneNumber!: number;

  /** Null until the issues were read. */
  @ApiProperty({ type: IssueCountsDto, nullable: true })
  issues!: IssueCountsDto | null;

  @ApiProperty()
  readiness!: ReadinessDto;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  dueOn!: Date | null;

  /** The due day, in UTC, is over, and the release is neither shipped nor cancelled. */
  @ApiProperty()
  isOverdue!: boolean;

  /** The freeze of the workspace in which the due day of an active release lies; null if there is none or the day is over. */
  @ApiProperty({ type: FreezeDaysDto, nullable: true })
  dueFreeze!: FreezeDaysDto | null;

  /** When the release last changed. */
  @ApiProperty({ type: String, format: 'date-time' })
  updatedAt!: Date;

  /** When it was shipped; null if it was not. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  deployedAt!: Date | null;

  /** When it was cancelled; null if it was not. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  cancelledAt!: Date | null;
}

const ANY = 'all';

/** The filter of the active releases. */
export class DashboardQuery extends PageQuery {
  @IsSearchTerm(
    "A part of a version, of a repository's name, or of both, as in `catalog v0.9`; of `owner/name` where it has a slash.",
  )
  search?: string;

  @ApiPropertyOptional({
    description: 'The outcome of the releases that are listed.',
    enum: [ANY, ...OUTCOMES],
    default: ANY,
  })
  @IsOptional()
  @IsIn([ANY, ...OUTCOMES], { message: `outcome must be ${[ANY, ...OUTCOMES].join(', ')}` })
  outcome?: Outcome | typeof ANY;

  /**
   * `updated`: last changed first. `urgency`: the blocked ones first, then the others, each by the earliest due day. `due`: the earliest
   * due day first. `repository`: by the name of the repository, newest version first.
   */
  @ApiPropertyOptional({ enum: RELEASE_ORDERS, default: 'updated' })
  @IsOptional()
  @IsIn(RELEASE_ORDERS, { message: `sort must be ${RELEASE_ORDERS.join(', ')}` })
  sort?: ReleaseOrder;
}

/** Returns the requested outcome; null if all are requested. */
export const outcomeIn = ({ outcome = ANY }: DashboardQuery): Outcome | null => (outcome === ANY ? null : outcome);

/**
 * The number of active releases that match the search, regardless of the outcome filter and the page. The four outcomes add up to
 * `all`.
 */
export class OutcomeCountsDto {
  @ApiProperty({ type: 'integer', minimum: 0 })
  all!: number;

  /** A user has to fix a problem, or deployments are frozen. */
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

/** The active releases of the workspace. */
export class DashboardDto {
  /** The releases, in the order of `sort`. */
  @ApiProperty({ type: [ReleaseSummaryDto] })
  releases!: readonly ReleaseSummaryDto[];

  @ApiProperty()
  counts!: OutcomeCountsDto;

  /** Only if the request has `page` or `pageSize`. */
  @ApiPropertyOptional()
  pagination?: PageInfo;
}

/** The filter of the repository's releases. */
export class ReleaseListQuery extends PageQuery {
  @IsSearchTerm('A part of a version.')
  search?: string;
}

/** The releases of a repository. */
export class ReleaseListDto {
  /** The releases, newest version first by precedence. Shipped and cancelled ones are included. */
  @ApiProperty({ type: [ReleaseSummaryDto] })
  milestones!: readonly ReleaseSummaryDto[];

  /** Only if the request has `page` or `pageSize`. */
  @ApiPropertyOptional()
  pagination?: PageInfo;
}
