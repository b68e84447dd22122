import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, IsUUID, Length, Matches, MaxLength } from 'class-validator';

const MAX_VERSION_LENGTH = 100;
const MAX_DESCRIPTION_LENGTH = 10_000;
const MAX_MOMENT_LENGTH = 40;
/**
 * A calendar day or an RFC 3339 timestamp (section 5.6) with an offset. Without an offset the day would depend on the time zone.
 */
const DAY_OR_TIME = /^\d{4}-\d{2}-\d{2}(T([01]\d|2[0-3]):\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** The release to create. */
export class CreateReleaseDto {
  /** The id of the repository. */
  @ApiProperty({ format: 'uuid', example: '6f0d1c52-3b7a-4e8f-9a51-0c2d4e6f8a1b' })
  @IsUUID()
  repoId!: string;

  /** The version, in the naming format of the repository's policy. */
  @ApiProperty({ example: 'v1.4.0' })
  @IsString()
  @Length(1, MAX_VERSION_LENGTH)
  version!: string;

  /** The title of the milestone. If it is sent, it must equal the version. */
  @ApiPropertyOptional({ type: String, nullable: true, example: 'v1.4.0' })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_VERSION_LENGTH)
  title?: string | null;

  /** The due day. GitHub stores only the day of a timestamp. */
  @ApiPropertyOptional({ type: String, nullable: true, maxLength: MAX_MOMENT_LENGTH, example: '2026-05-06' })
  @IsOptional()
  @MaxLength(MAX_MOMENT_LENGTH)
  @Matches(DAY_OR_TIME, { message: 'dueOn must be a day, as 2026-05-06, or a time with an offset from UTC' })
  dueOn?: string | null;

  /** The description of the milestone, in Markdown. */
  @ApiPropertyOptional({ type: String, nullable: true, maxLength: MAX_DESCRIPTION_LENGTH, example: 'Pay by card.' })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_DESCRIPTION_LENGTH)
  description?: string | null;
}

/** A refresh of a release from GitHub that has started. */
export class RefreshStartedDto {
  @ApiProperty({ format: 'uuid' })
  milestoneId!: string;

  @ApiProperty({ enum: ['running'] })
  status!: 'running';
}

/** An evidence pull request that is being opened. */
export class EvidencePullStartedDto {
  @ApiProperty({ format: 'uuid' })
  milestoneId!: string;

  @ApiProperty({ enum: ['opening'] })
  status!: 'opening';
}
