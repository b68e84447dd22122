import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsUUID } from 'class-validator';

const STATUSES = ['never', 'running', 'completed', 'failed'] as const;
const REPOSITORY_STATUSES = ['never', 'waiting', 'done', 'failed'] as const;

/** `never` before the first run; `failed` if the installation or a repository that the viewer can read could not be read. */
export type SyncStatus = (typeof STATUSES)[number];

/** The repository to sync. */
export class StartSyncDto {
  /** The id of the repository; the whole workspace if it is left out. */
  @ApiPropertyOptional({
    type: String,
    format: 'uuid',
    nullable: true,
    example: '6f0d1c52-3b7a-4e8f-9a51-0c2d4e6f8a1b',
  })
  @IsOptional()
  @IsUUID()
  repoId?: string | null;
}

export class SyncStartedDto {
  /** The id of a run that starts after the request. Requests share a waiting run. */
  @ApiProperty({ format: 'uuid' })
  syncId!: string;

  /** `waiting`: it starts when the current run ends. */
  @ApiProperty({ enum: ['running', 'waiting'] })
  status!: 'running' | 'waiting';
}

export class RepositorySyncDto {
  @ApiProperty({ format: 'uuid' })
  repoId!: string;

  /** The name of the repository without its owner. */
  @ApiProperty({ example: 'payments' })
  repo!: string;

  @ApiProperty({ enum: REPOSITORY_STATUSES })
  status!: (typeof REPOSITORY_STATUSES)[number];

  /** Why it failed; null otherwise. */
  @ApiProperty({ type: String, nullable: true, example: 'GET /repos/acme/payments/milestones: 502' })
  detail!: string | null;
}

export class IgnoredMilestoneDto {
  @ApiProperty({ format: 'uuid' })
  repoId!: string;

  @ApiProperty({ example: 'payments' })
  repo!: string;

  /** The number of the milestone on GitHub. */
  @ApiProperty({ type: 'integer', example: 7 })
  number!: number;

  @ApiProperty({ example: 'Someday' })
  title!: string;

  /** Why it is not a release. */
  @ApiProperty({ example: 'The title is no version: v1.2.3 would be one.' })
  reason!: string;
}

/** The sync status of the workspace, for the repositories that the user can read. */
export class SyncStatusDto {
  /** The status of the last run. `failed`: the installation or one of these repositories could not be read. */
  @ApiProperty({ enum: STATUSES })
  status!: SyncStatus;

  /** The id of the last run; null before the first one. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  syncId!: string | null;

  /** The id of the waiting run; null if there is none. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  nextSyncId!: string | null;

  /** The oldest of the last sync times of these repositories; null if one of them was never synced. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  lastSyncedAt!: Date | null;

  /** Why the installation could not be read; null if it could. */
  @ApiProperty({ type: String, nullable: true, example: null })
  detail!: string | null;

  /** The repositories, by name. */
  @ApiProperty({ type: [RepositorySyncDto] })
  repos!: readonly RepositorySyncDto[];

  /** The milestones that are not releases. */
  @ApiProperty({ type: [IgnoredMilestoneDto] })
  ignored!: readonly IgnoredMilestoneDto[];

  /** The number of deliveries that failed in every attempt. */
  @ApiProperty({ type: 'integer', minimum: 0, example: 0 })
  deadLetters!: number;
}
