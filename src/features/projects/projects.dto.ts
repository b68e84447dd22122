import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsOptional, IsString, IsUUID, Matches, MaxLength, ValidateIf } from 'class-validator';
import { type Outcome, OUTCOMES } from '../../domain/release/outcome.js';
import { type Stage, STAGES } from '../../domain/release/stage.js';
import { PageInfo, PageQuery } from '../../http/pagination/pagination.dto.js';
import { IsSearchTerm } from '../../http/validation/field.decorators.js';
import { OutcomeCountsDto } from '../releases/lists/release-list.dto.js';

const MAX_NAME_LENGTH = 100;
const MAX_DESCRIPTION_LENGTH = 2_000;

/** A name is shown in one line, and something of it can be seen. */
const NAME_PATTERN = /^(?=.*[\p{L}\p{N}\p{P}\p{S}])[^\p{Cc}\p{Cs}\u2028\u2029]+$/u;
const NAME_PROBLEM = 'name must be a text in one line';

/** A description may have lines. */
const DESCRIPTION = /^(?:[^\p{Cc}\p{Cs}]|[\t\n\r])*$/u;
const DESCRIPTION_PROBLEM = 'description must have no control characters but tabs and line breaks';

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_PROBLEM = 'targetDate must be a day, as YYYY-MM-DD';
const LOGIN = /^[\w-]{1,100}$/;

/** Which projects are asked for. */
export class ProjectListQuery extends PageQuery {
  @ApiPropertyOptional({
    description: 'The login of an organization, in any case. The workspace is one: of another there is no project.',
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

/** What may be said of a project besides its name. */
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

  /** The day on which all of it is to be out. */
  @ApiPropertyOptional({ type: String, format: 'date', nullable: true, example: '2026-09-30' })
  @IsOptional()
  @IsString()
  @Matches(DAY, { message: DAY_PROBLEM })
  targetDate?: string | null;
}

/** A new project. */
export class CreateProjectDto extends ProjectPlan {
  /** No other project of the workspace may have it, in whatever case. */
  @ApiProperty({ minLength: 1, maxLength: MAX_NAME_LENGTH, example: 'Checkout 2' })
  @IsString()
  @MaxLength(MAX_NAME_LENGTH)
  @Matches(NAME_PATTERN, { message: NAME_PROBLEM })
  name!: string;
}

/** What is to be said of a project from now on; what is left out stays as it is, and null takes away. */
export class UpdateProjectDto extends ProjectPlan {
  /** No other project of the workspace may have it, in whatever case. */
  @ApiPropertyOptional({ minLength: 1, maxLength: MAX_NAME_LENGTH, example: 'Checkout 2' })
  // Not `@IsOptional()`: a name can be changed, and not taken away.
  @ValidateIf(({ name }: UpdateProjectDto) => name !== undefined)
  @IsString()
  @MaxLength(MAX_NAME_LENGTH)
  @Matches(NAME_PATTERN, { message: NAME_PROBLEM })
  name?: string;
}

/** Which release of the repository the project awaits. */
export class LinkRepositoryDto {
  /** The id of a release of this repository; none where it is absent or null, also where there was one. */
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

/** The release of a repository that a project awaits. */
@ApiSchema({ name: 'ProjectRelease' })
export class ProjectReleaseDto {
  @ApiProperty({ format: 'uuid' })
  milestoneId!: string;

  @ApiProperty({ example: 'v1.4.0' })
  version!: string;

  @ApiProperty({ enum: STAGES })
  stage!: Stage;

  /** Null where the release is shipped or cancelled. */
  @ApiProperty({ enum: [...OUTCOMES, null], nullable: true, type: String })
  outcome!: Outcome | null;
}

/** A repository of a project. */
@ApiSchema({ name: 'ProjectRepository' })
export class ProjectRepositoryDto {
  @ApiProperty({ format: 'uuid' })
  repoId!: string;

  /** The repository's name, without its organization's. */
  @ApiProperty({ example: 'payments' })
  repo!: string;

  /** Null as long as nobody has said which, and where its milestone was deleted. */
  @ApiProperty({ type: ProjectReleaseDto, nullable: true })
  release!: ProjectReleaseDto | null;
}

/** Of the active releases of a project; the four make up `all`. */
@ApiSchema({ name: 'ProjectCounts' })
export class ProjectCountsDto extends OutcomeCountsDto {}

/** Releases of several repositories that belong together, as far as the person may read the repositories. */
@ApiSchema({ name: 'Project' })
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

  /** By name; without those that the person may not read. */
  @ApiProperty({ type: [ProjectRepositoryDto], maxItems: 100 })
  repos!: readonly ProjectRepositoryDto[];

  /**
   * The worst of its active releases, in the order `blocked`, `needs_approval`, `in_progress`, `ready_to_deploy`; null where
   * none is active. It says nothing of repositories that the person may not read.
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
@ApiSchema({ name: 'Projects' })
export class ProjectsDto {
  /** What changed last first. */
  @ApiProperty({ type: [ProjectDto] })
  projects!: readonly ProjectDto[];

  /** Only with `page` or `pageSize`. */
  @ApiPropertyOptional()
  pagination?: PageInfo;
}
