import { ApiProperty, PickType } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { DeploymentRecordDto } from '../history/history.dto.js';
import { ReleaseReferenceDto, ReleaseSummaryDto } from '../releases/lists/release-list.dto.js';

const MIN_LENGTH = 2;
const MAX_LENGTH = 100;
/** The most results of each kind. */
export const MAX_FOUND = 6;

/** Counts code points, so that an emoji is one character. */
const TERM = new RegExp(`^(?=.*\\S).{${MIN_LENGTH},${MAX_LENGTH}}$`, 'su');

export class SearchQuery {
  /**
   * A part of a version, of a repository's name, or of both, as in `catalog v0.9`; a part of a project's name, or of a user's login or name;
   * or the first 7 or more digits of a commit. The case does not count.
   */
  @ApiProperty({ type: String, minLength: MIN_LENGTH, maxLength: MAX_LENGTH, example: 'payments' })
  @Matches(TERM, { message: `q must have ${MIN_LENGTH} to ${MAX_LENGTH} characters` })
  q!: string;
}

export class FoundReleaseDto extends PickType(ReleaseSummaryDto, [
  'milestoneId',
  'org',
  'repoId',
  'repo',
  'version',
  'stage',
  'deployedAt',
]) {}

export class FoundRepositoryDto extends PickType(ReleaseReferenceDto, ['org', 'repoId', 'repo']) {}

export class FoundProjectDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ example: 'Checkout 2026' })
  name!: string;
}

/** A commit that is the candidate of a release, or was deployed. */
export class FoundCommitDto extends PickType(DeploymentRecordDto, ['org', 'repoId', 'repo', 'milestoneId', 'version']) {
  @ApiProperty({ example: '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392' })
  sha!: string;
}

/** A member of the workspace. */
export class FoundUserDto {
  /** The user's GitHub id. */
  @ApiProperty({ type: 'integer', example: 583231 })
  userId!: number;

  @ApiProperty({ example: 'ada' })
  login!: string;

  @ApiProperty({ type: String, nullable: true, example: 'Ada Lovelace' })
  name!: string | null;

  @ApiProperty({ type: String, format: 'uri', nullable: true })
  avatarUrl!: string | null;
}

/** What the user can read and the term matches, a few of each kind. */
export class SearchResultsDto {
  /** Active ones before shipped ones, last changed or deployed first. */
  @ApiProperty({ type: [FoundReleaseDto], maxItems: MAX_FOUND })
  releases!: readonly FoundReleaseDto[];

  /** Names that begin with the term first. */
  @ApiProperty({ type: [FoundRepositoryDto], maxItems: MAX_FOUND })
  repositories!: readonly FoundRepositoryDto[];

  @ApiProperty({ type: [FoundProjectDto], maxItems: MAX_FOUND })
  projects!: readonly FoundProjectDto[];

  /** Empty unless the term is the start of a commit. */
  @ApiProperty({ type: [FoundCommitDto], maxItems: MAX_FOUND })
  commits!: readonly FoundCommitDto[];

  @ApiProperty({ type: [FoundUserDto], maxItems: MAX_FOUND })
  users!: readonly FoundUserDto[];
}
