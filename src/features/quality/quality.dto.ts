import { ApiProperty, ApiPropertyOptional, ApiSchema, IntersectionType } from '@nestjs/swagger';
import { IsIn, IsOptional, Matches } from 'class-validator';
import { EVIDENCE_KINDS, type EvidenceKind, type Metrics } from '../../domain/evidence/evidence.js';
import { PIECE_STATUSES, type EvidenceItemStatus } from '../../domain/evidence/evidence-status.js';
import {
  CATEGORY_NAMES,
  CATEGORY_STATUSES,
  type CategoryName,
  type CategoryStatus,
} from '../../domain/quality/score-category.js';
import { GRADES, type Grade } from '../../domain/quality/scorecard.js';
import { COMPARISON_STATUSES, type ComparisonStatus } from '../../domain/quality/test-results.js';
import { STAGES, type Stage } from '../../domain/release/stage.js';
import { PageInfo, PageQuery } from '../../http/pagination/pagination.dto.js';
import type { QualityFilter } from './quality-search.queries.js';

const NAME_PATTERN = /^[\w.-]{1,100}$/;
/** In one line; counted as people count, so that an emoji is one. */
const LABEL_PATTERN = /^[^\p{Cc}\p{Cs}]{1,100}$/u;

/** Which release groups are asked for. A group is complete, whichever of its results matches. */
export class QualityFilterQuery {
  /** The organization, in any case. */
  @ApiPropertyOptional({ maxLength: 100, pattern: NAME_PATTERN.source, example: 'acme' })
  @IsOptional()
  @Matches(NAME_PATTERN, { message: 'owner must be the name of an organization' })
  owner?: string;

  /** The repository without its organization, in any case. */
  @ApiPropertyOptional({ maxLength: 100, pattern: NAME_PATTERN.source, example: 'payments' })
  @IsOptional()
  @Matches(NAME_PATTERN, { message: 'repo must be the name of a repository' })
  repo?: string;

  /** The release's version, exactly. */
  @ApiPropertyOptional({ example: 'v1.4.0', minLength: 1, maxLength: 100 })
  @IsOptional()
  @Matches(LABEL_PATTERN, { message: 'milestone must be a version of 1 to 100 characters' })
  milestone?: string;

  /** The kind of evidence of which the release has a result, of the environment that is asked for too. */
  @ApiPropertyOptional({ enum: EVIDENCE_KINDS })
  @IsOptional()
  @IsIn(EVIDENCE_KINDS, { message: `type must be ${EVIDENCE_KINDS.join(', ')}` })
  type?: EvidenceKind;

  /** The environment, exactly. */
  @ApiPropertyOptional({ example: 'staging', minLength: 1, maxLength: 100 })
  @IsOptional()
  @Matches(LABEL_PATTERN, { message: 'environment must have 1 to 100 characters' })
  environment?: string;
}

/** Which release groups are asked for, and which page of them. */
export class QualityQuery extends IntersectionType(QualityFilterQuery, PageQuery) {}

/** The filter that is asked for. */
export const toQualityFilter = ({ owner, repo, milestone, type, environment }: QualityFilterQuery): QualityFilter => ({
  owner: owner ?? null,
  repo: repo ?? null,
  milestone: milestone ?? null,
  type: type ?? null,
  environment: environment ?? null,
});

/** One part of a scorecard. */
@ApiSchema({ name: 'CategoryScore' })
export class CategoryScoreDto {
  @ApiProperty({ enum: CATEGORY_NAMES })
  name!: CategoryName;

  /** Per cent of the whole, where everything was measured. */
  @ApiProperty({ type: 'integer', example: 40 })
  weight!: number;

  /** Null where it was not measured. */
  @ApiProperty({ type: Number, nullable: true, minimum: 0, maximum: 100, example: 99.5 })
  score!: number | null;

  @ApiProperty({ enum: CATEGORY_STATUSES })
  status!: CategoryStatus;

  /** A sentence for people. */
  @ApiProperty({ example: '199 of 200 tests passed; 0 were flaky, and 3 skipped.' })
  detail!: string;
}

@ApiSchema({ name: 'ScoreCap' })
export class ScoreCapDto {
  @ApiProperty({ enum: GRADES })
  grade!: Grade;

  /** A sentence for people. */
  @ApiProperty({ example: 'A critical finding is open.' })
  reason!: string;
}

/** How good a release is by what decides for its candidate; of a shipped one as it was then. */
@ApiSchema({ name: 'Scorecard' })
export class ScorecardDto {
  /** By weight, over what was measured; null where nothing was. */
  @ApiProperty({ type: Number, nullable: true, minimum: 0, maximum: 100, example: 92.4 })
  score!: number | null;

  @ApiProperty({ type: String, enum: [...GRADES, null], nullable: true })
  grade!: Grade | null;

  @ApiProperty({ type: [CategoryScoreDto] })
  categories!: readonly CategoryScoreDto[];

  /** The categories that were not measured: they count neither as 100 nor as 0. */
  @ApiProperty({ enum: CATEGORY_NAMES, isArray: true })
  incomplete!: readonly CategoryName[];

  /** Why the grade is no better, whatever the categories say. */
  @ApiProperty({ type: [ScoreCapDto] })
  caps!: readonly ScoreCapDto[];
}

/** Tests by name. */
@ApiSchema({ name: 'NamedTests' })
export class NamedTestsDto {
  @ApiProperty({ type: 'integer', minimum: 0, example: 1 })
  count!: number;

  /** The first of them. */
  @ApiProperty({ type: [String], maxItems: 20, example: ['payments › pays › refuses an expired card'] })
  names!: readonly string[];
}

@ApiSchema({ name: 'FlakyTests' })
export class FlakyTestsDto extends NamedTestsDto {
  /** Of all tests that ran; null where none did. */
  @ApiProperty({ type: Number, nullable: true, minimum: 0, maximum: 1, example: 0.01 })
  rate!: number | null;
}

@ApiSchema({ name: 'TestChange' })
export class TestChangeDto {
  /** Tests that fail, and did not then. */
  @ApiProperty()
  newFailures!: NamedTestsDto;

  /** Tests that ran then and do not run now. */
  @ApiProperty()
  lostTests!: NamedTestsDto;
}

@ApiSchema({ name: 'ShippedBefore' })
export class ShippedBeforeDto {
  @ApiProperty({ format: 'uuid' })
  milestoneId!: string;

  @ApiProperty({ example: 'v1.3.0' })
  version!: string;
}

/** How a release differs from the one of its repository that was shipped last before it. */
@ApiSchema({ name: 'ReleaseChange' })
export class ReleaseChangeDto {
  @ApiProperty()
  against!: ShippedBeforeDto;

  /** In points; null where one of the two has no score. */
  @ApiProperty({ type: Number, nullable: true, example: -1.5 })
  score!: number | null;

  /** In points of line coverage; null where one of the two measured none. */
  @ApiProperty({ type: Number, nullable: true, example: 0.25 })
  coverage!: number | null;

  /** Null where the names of their tests are not known, or not compared yet. */
  @ApiProperty({ type: TestChangeDto, nullable: true })
  tests!: TestChangeDto | null;
}

/** A piece of evidence. */
@ApiSchema({ name: 'QualityResult' })
export class QualityResultDto {
  @ApiProperty({ format: 'uuid' })
  evidenceId!: string;

  @ApiProperty({ enum: EVIDENCE_KINDS })
  type!: EvidenceKind;

  @ApiProperty({ example: 'staging' })
  environment!: string;

  @ApiProperty({ example: 'build and test' })
  pipeline!: string;

  @ApiProperty({ example: '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392' })
  commitSha!: string;

  /** Its numbers by kind. */
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: { unit_tests: { total: 12, passed: 12, failed: 0, skipped: 0 } },
  })
  metrics!: Metrics;

  /** `unmeasured` says neither: it has no numbers, and does not say that it failed. */
  @ApiProperty({ enum: PIECE_STATUSES })
  status!: EvidenceItemStatus;

  /** The verdict on the release rests on it. */
  @ApiProperty()
  decides!: boolean;

  /** When it was received. */
  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: Date;
}

/** A release with its evidence and what that is worth. */
@ApiSchema({ name: 'ReleaseGroup' })
export class ReleaseGroupDto {
  @ApiProperty({ format: 'uuid' })
  milestoneId!: string;

  @ApiProperty({ example: 'acme' })
  org!: string;

  /** The repository's name, without its organization's. */
  @ApiProperty({ example: 'payments' })
  repo!: string;

  @ApiProperty({ example: 'v1.4.0' })
  version!: string;

  @ApiProperty({ enum: STAGES })
  stage!: Stage;

  @ApiProperty()
  scorecard!: ScorecardDto;

  /** Null where nothing of the repository was shipped before. */
  @ApiProperty({ type: ReleaseChangeDto, nullable: true })
  change!: ReleaseChangeDto | null;

  /** Tests of the candidate that failed and passed at the same commit; null unless `comparison` is `known`. */
  @ApiProperty({ type: FlakyTestsDto, nullable: true })
  flaky!: FlakyTestsDto | null;

  /** Whether its tests were compared by name: `pending` is being done, and `unknown` cannot be. */
  @ApiProperty({ enum: COMPARISON_STATUSES })
  comparison!: ComparisonStatus;

  /** What decides and up to 200 others, the newest first. */
  @ApiProperty({ type: [QualityResultDto] })
  results!: readonly QualityResultDto[];

  /** How many results are not among them. */
  @ApiProperty({ type: 'integer', minimum: 0, example: 0 })
  moreResults!: number;
}

/** What the filters can be set to, at most 1,000 values of each, whatever they are set to. */
@ApiSchema({ name: 'QualityChoices' })
export class QualityChoicesDto {
  @ApiProperty({ type: [String], example: ['acme'] })
  owners!: readonly string[];

  /** Without their organization. */
  @ApiProperty({ type: [String], example: ['payments'] })
  repos!: readonly string[];

  /** Versions, the newest first. */
  @ApiProperty({ type: [String], example: ['v1.4.0'] })
  milestones!: readonly string[];

  @ApiProperty({ enum: EVIDENCE_KINDS, isArray: true })
  types!: readonly EvidenceKind[];

  @ApiProperty({ type: [String], example: ['staging'] })
  environments!: readonly string[];
}

/** The quality of releases. */
@ApiSchema({ name: 'Quality' })
export class QualityDto {
  /** What received evidence last first. */
  @ApiProperty({ type: [ReleaseGroupDto] })
  results!: readonly ReleaseGroupDto[];

  @ApiProperty()
  choices!: QualityChoicesDto;

  /** Only with `page` or `pageSize`. */
  @ApiPropertyOptional()
  pagination?: PageInfo;
}
