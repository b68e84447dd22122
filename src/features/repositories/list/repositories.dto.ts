import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { SETUP_STATES, type SetupState } from '../../../domain/repository/bootstrap.js';
import { PROTECTION_STATUSES, type ProtectionStatus } from '../../../domain/repository/ruleset.js';
import { PageInfo, PageQuery } from '../../../http/pagination/pagination.dto.js';
import { IsSearchTerm } from '../../../http/validation/field.decorators.js';

const INTEGRITY_STATUSES = ['intact', 'tampered', 'unwatched'] as const;
const WORKFLOW_STATUSES = ['UP_TO_DATE', 'UPDATE_AVAILABLE', 'PR_OPEN'] as const;

/** The filter of the repositories. */
export class RepositoryListQuery extends PageQuery {
  @IsSearchTerm('A part of the name of an organization or a repository, or of `owner/name`.')
  search?: string;

  /** Only repositories in this state. */
  @ApiPropertyOptional({ enum: SETUP_STATES })
  @IsOptional()
  @IsIn(SETUP_STATES, { message: `setupState must be ${SETUP_STATES.join(', ')}` })
  setupState?: SetupState;

  /** `true`: only repositories with a warning of `GET /api/config/repo-warnings`. */
  @ApiPropertyOptional({ enum: ['true', 'false'], default: 'false' })
  @IsOptional()
  @IsIn(['true', 'false'], { message: 'attention must be true, false' })
  attention?: string;
}

/** The pull request that sets the repository up. */
export class RepositorySetupDto {
  /** The number of the pull request; null if there is none, or if it was closed without a merge. */
  @ApiProperty({ type: 'integer', nullable: true, minimum: 1, example: 12 })
  prNumber!: number | null;

  @ApiProperty({ type: String, format: 'uri', nullable: true, example: 'https://github.com/acme/payments/pull/12' })
  prUrl!: string | null;

  /** Whether `bootstrap` and `workflow-update-pr` need a `pat`, because the app may not write workflow files. */
  @ApiProperty()
  tokenNeeded!: boolean;
}

/** How GitHub protects the branches as the policy requires. */
export class RepositoryProtectionDto {
  /** `advisory`: the repository's plan on GitHub has no rulesets. */
  @ApiProperty({ enum: PROTECTION_STATUSES })
  status!: ProtectionStatus;

  /** The problem and the next step; null if there is no problem. */
  @ApiProperty({ type: String, nullable: true })
  detail!: string | null;

  /**
   * Whether `configure-rulesets` needs a `pat`, because the app may not administer the repository and no token for it is
   * stored.
   */
  @ApiProperty()
  tokenNeeded!: boolean;
}

/** A managed file that was changed. */
export class ChangedFileDto {
  @ApiProperty({ example: '.github/workflows/shipgate-enforce.yml' })
  path!: string;

  @ApiProperty({ example: 'main' })
  branch!: string;
}

/** Whether the managed workflow files are unchanged. */
export class RepositoryIntegrityDto {
  /** `unwatched`: no managed file was seen in the repository yet. */
  @ApiProperty({ enum: INTEGRITY_STATUSES })
  status!: (typeof INTEGRITY_STATUSES)[number];

  @ApiProperty({ type: [ChangedFileDto] })
  files!: readonly ChangedFileDto[];

  /** The URL of the issue about the first changed file; null if there is none. */
  @ApiProperty({ type: String, format: 'uri', nullable: true })
  issueUrl!: string | null;

  /** When the first change was found; null if there is none. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  since!: Date | null;
}

/** The workflow files as they were last seen, compared with the current revision of Shipgate. */
export class RepositoryWorkflowDto {
  /** Null if Shipgate installed none. */
  @ApiProperty({ enum: [...WORKFLOW_STATUSES, null], type: String, nullable: true })
  status!: (typeof WORKFLOW_STATUSES)[number] | null;

  @ApiProperty({ type: String, nullable: true, example: '91c07e5a2b6d4f38' })
  installedRevision!: string | null;

  @ApiProperty({ example: '4be2c1d09f37a865' })
  targetRevision!: string;

  /** The number of the open pull request of the update; null if there is none. */
  @ApiProperty({ type: 'integer', nullable: true, minimum: 1 })
  prNumber!: number | null;

  @ApiProperty({ type: String, format: 'uri', nullable: true })
  prUrl!: string | null;
}

/** A repository of the workspace. */
export class RepositoryDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ example: 'acme' })
  org!: string;

  @ApiProperty({ example: 'payments' })
  name!: string;

  @ApiProperty({ example: 'acme/payments' })
  fullName!: string;

  @ApiProperty()
  private!: boolean;

  @ApiProperty({ example: 'main' })
  defaultBranch!: string;

  @ApiProperty({ format: 'uri', example: 'https://github.com/acme/payments' })
  url!: string;

  /** Whether it is a managed repository, which counts against the plan's limit. */
  @ApiProperty()
  managed!: boolean;

  /** `REMOVED`: it was deleted, or the app cannot access it any more. */
  @ApiProperty({ enum: SETUP_STATES })
  setupState!: SetupState;

  @ApiProperty()
  setup!: RepositorySetupDto;

  @ApiProperty()
  protection!: RepositoryProtectionDto;

  @ApiProperty()
  integrity!: RepositoryIntegrityDto;

  @ApiProperty()
  workflow!: RepositoryWorkflowDto;

  /** The time of the last complete sync; null if there was none. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  lastSyncedAt!: Date | null;
}

/** The repositories of one organization. */
export class RepositoryGroupDto {
  @ApiProperty({ example: 'acme' })
  org!: string;

  /** By name. */
  @ApiProperty({ type: [RepositoryDto] })
  repos!: readonly RepositoryDto[];
}

const COUNT = { type: 'integer', minimum: 0 } as const;

/** The number of repositories in each state that match the search, regardless of the other filters and the page. */
export class SetupStateCountsDto implements Readonly<Record<SetupState, number>> {
  @ApiProperty(COUNT) NOT_STARTED!: number;
  @ApiProperty(COUNT) PR_OPEN!: number;
  @ApiProperty(COUNT) MERGED!: number;
  @ApiProperty(COUNT) PROTECTION_PENDING!: number;
  @ApiProperty(COUNT) PROTECTION_FAILED!: number;
  @ApiProperty(COUNT) COMPLETE!: number;
  @ApiProperty(COUNT) LEGACY!: number;
  @ApiProperty(COUNT) SUSPENDED!: number;
  @ApiProperty(COUNT) REMOVED!: number;
}

/** A page of repositories. The pagination counts repositories, not groups. */
export class RepositoryListDto {
  @ApiProperty({ type: [RepositoryGroupDto] })
  groups!: readonly RepositoryGroupDto[];

  @ApiProperty()
  counts!: SetupStateCountsDto;

  @ApiProperty()
  pagination!: PageInfo;
}
