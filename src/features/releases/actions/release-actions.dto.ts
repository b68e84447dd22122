import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsOptional, IsString, IsUUID, Length, Matches, MaxLength } from 'class-validator';

const MAX_VERSION_LENGTH = 100;
const MAX_DESCRIPTION_LENGTH = 10_000;
const MAX_MOMENT_LENGTH = 40;
/** A calendar day, or RFC 3339, § 5.6, with an offset: a time without one would be another day in another place. */
const DAY_OR_TIME = /^\d{4}-\d{2}-\d{2}(T([01]\d|2[0-3]):\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** Which release is to be made. */
export class CreateReleaseDto {
  /** The id of the repository. */
  @ApiProperty({ format: 'uuid', example: '6f0d1c52-3b7a-4e8f-9a51-0c2d4e6f8a1b' })
  @IsUUID()
  repoId!: string;

  /** As the repository's policy writes versions. */
  @ApiProperty({ example: 'v1.4.0' })
  @IsString()
  @Length(1, MAX_VERSION_LENGTH)
  version!: string;

  /** Where sent, the version: the milestone of a release is called exactly so. */
  @ApiPropertyOptional({ type: String, nullable: true, example: 'v1.4.0' })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_VERSION_LENGTH)
  title?: string | null;

  /** The day on which it is due; of a time GitHub keeps the day. */
  @ApiPropertyOptional({ type: String, nullable: true, maxLength: MAX_MOMENT_LENGTH, example: '2026-05-06' })
  @IsOptional()
  @MaxLength(MAX_MOMENT_LENGTH)
  @Matches(DAY_OR_TIME, { message: 'dueOn must be a day, as 2026-05-06, or a time with an offset from UTC' })
  dueOn?: string | null;

  /** What the milestone says, in Markdown. */
  @ApiPropertyOptional({ type: String, nullable: true, maxLength: MAX_DESCRIPTION_LENGTH, example: 'Pay by card.' })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_DESCRIPTION_LENGTH)
  description?: string | null;
}

/** A release that is being read from GitHub. */
@ApiSchema({ name: 'StartedRefresh' })
export class StartedRefreshDto {
  @ApiProperty({ format: 'uuid' })
  milestoneId!: string;

  @ApiProperty({ enum: ['running'] })
  status!: 'running';
}

/** An evidence pull request that is being opened. */
@ApiSchema({ name: 'StartedEvidencePull' })
export class StartedEvidencePullDto {
  @ApiProperty({ format: 'uuid' })
  milestoneId!: string;

  @ApiProperty({ enum: ['opening'] })
  status!: 'opening';
}
