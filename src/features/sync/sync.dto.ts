import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsUUID } from 'class-validator';
import type { RepositorySyncStatus, SyncStatus } from './sync.queries.js';

const STATUSES: readonly SyncStatus[] = ['never', 'running', 'completed', 'failed'];
const REPOSITORY_STATUSES: readonly RepositorySyncStatus[] = ['never', 'waiting', 'done', 'failed'];

/** What is to be read anew. */
export class StartSyncDto {
  /** One repository; the whole workspace where absent. */
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
  /** Of a run that reads what was asked for and began after that. Everybody who asks while it waits is given the same one. */
  @ApiProperty({ format: 'uuid' })
  syncId!: string;

  /** `waiting`: it begins when the run that is under way has ended. */
  @ApiProperty({ enum: ['running', 'waiting'] })
  status!: 'running' | 'waiting';
}

export class RepositorySyncDto {
  /** The repository's name, without its organization's. */
  @ApiProperty({ example: 'payments' })
  repo!: string;

  @ApiProperty({ enum: REPOSITORY_STATUSES })
  status!: RepositorySyncStatus;

  /** Why it failed; null unless it did. */
  @ApiProperty({ type: String, nullable: true, example: 'GET /repos/acme/payments/milestones: 502' })
  detail!: string | null;
}

export class IgnoredMilestoneDto {
  @ApiProperty({ example: 'payments' })
  repo!: string;

  /** The milestone's number on GitHub. */
  @ApiProperty({ type: 'integer', example: 7 })
  number!: number;

  @ApiProperty({ example: 'Someday' })
  title!: string;

  /** Why it is no release. */
  @ApiProperty({ example: 'The title is no version: v1.2.3 would be one.' })
  reason!: string;
}

/** How far the workspace is in line with GitHub, as far as the person may read it. */
export class SyncStatusDto {
  /** Of the last run: `failed` where the installation or one of these repositories could not be read. */
  @ApiProperty({ enum: STATUSES })
  status!: SyncStatus;

  /** Null before the first run. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  syncId!: string | null;

  /** Of the run that begins when the one under way has ended; null where none waits. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  nextSyncId!: string | null;

  /** Since when all of these repositories are in line with GitHub; null where one of them never was. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  lastSyncedAt!: Date | null;

  /** Why the installation itself could not be read; null where it could. */
  @ApiProperty({ type: String, nullable: true, example: null })
  detail!: string | null;

  /** By name. */
  @ApiProperty({ type: [RepositorySyncDto] })
  repos!: RepositorySyncDto[];

  /** Milestones that are no releases. */
  @ApiProperty({ type: [IgnoredMilestoneDto] })
  ignored!: IgnoredMilestoneDto[];

  /** Deliveries of GitHub that could not be processed, after all tries. */
  @ApiProperty({ type: 'integer', minimum: 0, example: 0 })
  deadLetters!: number;
}
