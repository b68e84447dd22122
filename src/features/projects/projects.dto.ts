import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, IsUUID, Matches, MaxLength, ValidateIf } from 'class-validator';
import { type Outcome, OUTCOMES } from '../../domain/release/outcome.js';
import { type Stage, STAGES } from '../../domain/facts/condition.js';
import { PageInfo, PageQuery } from '../../http/pagination/pagination.dto.js';
import { IsSearchTerm } from '../../http/validation/field.decorators.js';
import { OutcomeCountsDto } from '../releases/lists/release-list.dto.js';

const MAX_NAME_LENGTH = 100;
const MAX_DESCRIPTION_LENGTH = 2_000;

/** A name is shown in one line and has at least one visible character. */
const NAME_PATTERN = /^(?=.*[\p{L}\p{N}\p{P}\p{S}])[^\p{Cc}\p{Cs}\u2028\u2029]+$/u;
const NAME_PROBLEM = 'name must be a text in one line';

/** A description may have several lines. */
const DESCRIPTION = /^(?:[^\p{Cc}\p{Cs}]|[\t\n\r])*$/u;
const DESCRIPTION_PROBLEM = 'description must have no control characters but tabs and line breaks';

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_PROBLEM = 'targetDate must be a day, as YYYY-MM-DD';
const LOGIN = /^[\w-]{1,100}$/;

/** The filter of the projects. */
export class ProjectListQuery extends PageQuery {
  @ApiPropertyOptional({
    description:
      'The login of the organization, in any case. Another organization than that of the workspace matches no project.',
    type: String,
    minLength: 1,
    maxLength: 100,
    example: 'acme',
  })
  @IsOptional()
  @Matches(LOGIN, { message: 'org must be the login of an organization' })
  org?: string;

  @IsSearchTerm(
    "A part of a project's name or description, of a version, or of a repository's name; of `owner/name` where it has a slash.",
  )
  search?: string;
}

/** The optional details of a project. */
class ProjectPlan {
  @ApiPropertyOptional({
    type: String,
    nullable: true,
    maxLength: MAX_DESCRIPTION_LENGTH,
    example: 'The new checkout, in the shop and in the apps.',
  })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_DESCRIPTION_LENGTH)
  @Matches(DESCRIPTION, { message: DESCRIPTION_PROBLEM })
  description?: string | null;

  /** The day on which all its releases should be deployed. */
  @ApiPropertyOptional({ type: String, format: 'date', nullable: true, example: '2026-09-30' })
  @IsOptional()
  @IsString()
  @Matches(DAY, { message: DAY_PROBLEM })
  targetDate?: string | null;
}

/** The project to create. */
export class CreateProjectDto extends ProjectPlan {
  /** The name, unique in the workspace ignoring case. */
  @ApiProperty({ minLength: 1, maxLength: MAX_NAME_LENGTH, example: 'Checkout 2' })
  @IsString()
  @MaxLength(MAX_NAME_LENGTH)
  @Matches(NAME_PATTERN, { message: NAME_PROBLEM })
  name!: string;
}

/** The changes of a project. A member that is absent keeps its value, and null deletes it. */
export class UpdateProjectDto extends ProjectPlan {
  /** The name, unique in the workspace ignoring case. */
  @ApiPropertyOptional({ minLength: 1, maxLength: MAX_NAME_LENGTH, example: 'Checkout 2' })
  // Not `@IsOptional()`, which would accept null: a name can be changed, but not deleted.
  @ValidateIf(({ name }: UpdateProjectDto) => name !== undefined)
  @IsString()
  @MaxLength(MAX_NAME_LENGTH)
  @Matches(NAME_PATTERN, { message: NAME_PROBLEM })
  name?: string;
}

/** The release of the repository that belongs to the project. */
export class LinkRepositoryDto {
  /** The id of a release of this repository. Absent or null links the repository without a release and removes an earlier one. */
  @ApiPropertyOptional({
    type: String,
    format: 'uuid',
    nullable: true,
    example: '0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b',
  })
  @IsOptional()
  @IsUUID()
  milestoneId?: string | null;
}

/** The release of a repository that belongs to a project. */
export class ProjectReleaseDto {
  @ApiProperty({ format: 'uuid' })
  milestoneId!: string;

  @ApiProperty({ example: 'v1.4.0' })
  version!: string;

  @ApiProperty({ enum: STAGES })
  stage!: Stage;

  /** Null if the release is shipped or cancelled. */
  @ApiProperty({ enum: [...OUTCOMES, null], nullable: true, type: String })
  outcome!: Outcome | null;

  /**
   * When the outcome may change with time alone, because a fact expires or a freeze begins or ends. It is in the past if facts have expired.
   * Null if no verdict is valid, or if the release is shipped or cancelled.
   */
  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-05-04T14:32:00.000Z' })
  validUntil!: Date | null;
}

/** A repository of a project. */
export class ProjectRepositoryDto {
  @ApiProperty({ format: 'uuid' })
  repoId!: string;

  /** The name of the repository without its owner. */
  @ApiProperty({ example: 'payments' })
  repo!: string;

  /** Null if no release is chosen or its milestone was deleted. */
  @ApiProperty({ type: ProjectReleaseDto, nullable: true })
  release!: ProjectReleaseDto | null;
}

/** The number of active releases of a project. The four outcomes add up to `all`. */
export class ProjectCountsDto extends OutcomeCountsDto {}

/** A group of releases of several repositories. It shows only repositories that the user can read. */
export class ProjectDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ example: 'acme' })
  org!: string;

  @ApiProperty({ example: 'Checkout 2' })
  name!: string;

  @ApiProperty({ type: String, nullable: true, example: 'The new checkout, in the shop and in the apps.' })
  description!: string | null;

  @ApiProperty({ type: String, format: 'date', nullable: true, example: '2026-09-30' })
  targetDate!: string | null;

  /** The repositories that the user can read, by name. */
  @ApiProperty({ type: [ProjectRepositoryDto], maxItems: 100 })
  repos!: readonly ProjectRepositoryDto[];

  /**
   * The worst outcome of its active releases, in the order `blocked`, `needs_approval`, `in_progress`, `ready_to_deploy`; null if
   * none is active. Repositories that the user cannot read do not count.
   */
  @ApiProperty({ enum: [...OUTCOMES, null], nullable: true, type: String })
  outcome!: Outcome | null;

  @ApiProperty()
  counts!: ProjectCountsDto;

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: Date;

  /** When its details or its repositories last changed. */
  @ApiProperty({ type: String, format: 'date-time' })
  updatedAt!: Date;
}

/** The projects of the workspace. */
export class ProjectsDto {
  /** The projects, last changed first. */
  @ApiProperty({ type: [ProjectDto] })
  projects!: readonly ProjectDto[];

  /** Only if the request has `page` or `pageSize`. */
  @ApiPropertyOptional()
  pagination?: PageInfo;
}
