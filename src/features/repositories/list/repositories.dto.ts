import { ApiProperty } from '@nestjs/swagger';
import { SETUP_STATES, type SetupState } from '../../../domain/repository/bootstrap.js';
import { PROTECTION_STATUSES, type ProtectionStatus } from '../../../domain/repository/ruleset.js';
import { PageInfo, PageQuery } from '../../../http/pagination/pagination.dto.js';
import { IsSearchTerm } from '../../../http/validation/field.decorators.js';
import { INTEGRITY_STATUSES, type IntegrityStatus, type RepositorySummaryDto } from './repositories.queries.js';

const WORKFLOW_STATUSES = ['UP_TO_DATE', 'UPDATE_AVAILABLE', 'PR_OPEN'] as const;

/** Which repositories are asked for. */
export class RepositoryListQuery extends PageQuery {
  @IsSearchTerm('A part of the name of an organization or a repository, or of `owner/name`.')
  search?: string;
}

/** How GitHub itself holds the branches to the policy. */
export class RepositoryProtectionDto {
  /** `advisory`: GitHub offers it not to repositories of this plan. */
  @ApiProperty({ enum: PROTECTION_STATUSES })
  status!: ProtectionStatus;

  /** What is wrong and what to do; null where there is nothing to say. */
  @ApiProperty({ type: String, nullable: true })
  detail!: string | null;
}

/** A managed file that is not as it was installed. */
export class ChangedFileDto {
  @ApiProperty({ example: '.github/workflows/shipgate-enforce.yml' })
  path!: string;

  @ApiProperty({ example: 'main' })
  branch!: string;
}

/** Whether the managed workflow files are as they were installed. */
export class RepositoryIntegrityDto {
  /** `unwatched`: none of them was seen in the repository yet. */
  @ApiProperty({ enum: INTEGRITY_STATUSES })
  status!: IntegrityStatus;

  @ApiProperty({ type: [ChangedFileDto] })
  files!: readonly ChangedFileDto[];

  /** The issue that tells of the first of them. */
  @ApiProperty({ type: String, format: 'uri', nullable: true })
  issueUrl!: string | null;

  /** Since when the first of them is changed. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  since!: Date | null;
}

/** The workflow files beside those that Shipgate would install now, as they were last seen. */
export class RepositoryWorkflowDto {
  /** Null where Shipgate installed none. */
  @ApiProperty({ enum: [...WORKFLOW_STATUSES, null], type: String, nullable: true })
  status!: RepositorySummaryDto['workflow']['status'];

  @ApiProperty({ type: String, nullable: true, example: '91c07e5a2b6d4f38' })
  installedRevision!: string | null;

  @ApiProperty({ example: '4be2c1d09f37a865' })
  targetRevision!: string;

  /** The open pull request of the update; null where there is none. */
  @ApiProperty({ type: 'integer', nullable: true, minimum: 1 })
  prNumber!: number | null;

  @ApiProperty({ type: String, format: 'uri', nullable: true })
  prUrl!: string | null;
}

/** A repository, as lists show it. */
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

  /** Whether it is governed, and so counted by the plan. */
  @ApiProperty()
  managed!: boolean;

  /** `REMOVED`: it is gone, or the app reaches it no more. */
  @ApiProperty({ enum: SETUP_STATES })
  setupState!: SetupState;

  @ApiProperty()
  protection!: RepositoryProtectionDto;

  @ApiProperty()
  integrity!: RepositoryIntegrityDto;

  @ApiProperty()
  workflow!: RepositoryWorkflowDto;

  /** When all of it was last read from GitHub; null where it never was. */
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

/** A page of repositories, which are what it counts. */
export class RepositoryListDto {
  @ApiProperty({ type: [RepositoryGroupDto] })
  groups!: readonly RepositoryGroupDto[];

  @ApiProperty()
  pagination!: PageInfo;
}
