import { ApiProperty, ApiPropertyOptional, IntersectionType, OmitType, PickType } from '@nestjs/swagger';
import { IsIn, IsOptional, Matches } from 'class-validator';
import { EVIDENCE_KINDS, type EvidenceKind } from '../../domain/evidence/evidence.js';
import { STAGES, type Stage } from '../../domain/facts/condition.js';
import {
  CATEGORY_NAMES,
  CATEGORY_STATUSES,
  type CategoryName,
  type CategoryStatus,
} from '../../domain/quality/score-category.js';
import { GRADES, type Grade, type Scorecard } from '../../domain/quality/scorecard.js';
import { COMPARISON_STATUSES, type ComparisonStatus } from '../../domain/quality/test-results.js';
import { type FilterOf, PageInfo, PageQuery, type QueryMembers } from '../../http/pagination/pagination.dto.js';
import { LABEL_PATTERN } from '../../http/validation/field.decorators.js';
import { EvidenceItemDto } from '../releases/details/release-details.dto.js';
import { MAX_EARLIER_SCORES } from '../releases/records/releases.queries.js';
import { ReleaseReferenceDto } from '../releases/lists/release-list.dto.js';

const NAME_PATTERN = /^[\w.-]{1,100}$/;

/** The filter of the release groups. A group contains all its results if one of them matches. */
export class QualityFilterQuery {
  /** The organization, ignoring case. */
  @ApiPropertyOptional({ maxLength: 100, pattern: NAME_PATTERN.source, example: 'acme' })
  @IsOptional()
  @Matches(NAME_PATTERN, { message: 'owner must be the name of an organization' })
  owner?: string;

  /** The repository without its owner, ignoring case. */
  @ApiPropertyOptional({ maxLength: 100, pattern: NAME_PATTERN.source, example: 'payments' })
  @IsOptional()
  @Matches(NAME_PATTERN, { message: 'repo must be the name of a repository' })
  repo?: string;

  /** The exact version of the release. */
  @ApiPropertyOptional({ example: 'v1.4.0', minLength: 1, maxLength: 100 })
  @IsOptional()
  @Matches(LABEL_PATTERN, { message: 'milestone must be a version of 1 to 100 characters' })
  milestone?: string;

  /** The kind of evidence of which the release has a result. If `environment` is sent too, one result must match both. */
  @ApiPropertyOptional({ enum: EVIDENCE_KINDS })
  @IsOptional()
  @IsIn(EVIDENCE_KINDS, { message: `type must be ${EVIDENCE_KINDS.join(', ')}` })
  type?: EvidenceKind;

  /** The exact environment. */
  @ApiPropertyOptional({ example: 'staging', minLength: 1, maxLength: 100 })
  @IsOptional()
  @Matches(LABEL_PATTERN, { message: 'environment must have 1 to 100 characters' })
  environment?: string;
}

/** Whether a list contains the results of its releases. */
export const RESULT_LISTINGS = ['all', 'none'] as const;
export type ResultListing = (typeof RESULT_LISTINGS)[number];

/** The filter of the release groups, with a page. */
export class QualityQuery extends IntersectionType(QualityFilterQuery, PageQuery) {
  /** With `none`, `results` of each release is empty and `moreResults` counts all of them. The scorecard does not change. */
  @ApiPropertyOptional({ enum: RESULT_LISTINGS, default: 'all' })
  @IsOptional()
  @IsIn(RESULT_LISTINGS, { message: `results must be ${RESULT_LISTINGS.join(', ')}` })
  results?: ResultListing;
}

export type QualityFilter = FilterOf<QualityFilterQuery>;

/** Converts the query to a filter; absent members become null. */
export const toQualityFilter = ({
  owner,
  repo,
  milestone,
  type,
  environment,
}: QueryMembers<QualityFilterQuery>): QualityFilter => ({
  owner: owner ?? null,
  repo: repo ?? null,
  milestone: milestone ?? null,
  type: type ?? null,
  environment: environment ?? null,
});

/** One category of a scorecard. */
class CategoryScoreDto {
  @ApiProperty({ enum: CATEGORY_NAMES })
  name!: CategoryName;

  /** The percentage of the whole score if every category was measured. */
  @ApiProperty({ type: 'integer', example: 40 })
  weight!: number;

  /** Null if it was not measured. */
  @ApiProperty({ type: Number, nullable: true, minimum: 0, maximum: 100, example: 99.5 })
  score!: number | null;

  @ApiProperty({ enum: CATEGORY_STATUSES })
  status!: CategoryStatus;

  /** A sentence for users. */
  @ApiProperty({ example: '199 of 200 tests passed; 0 were flaky, and 3 skipped.' })
  detail!: string;
}

class ScoreCapDto {
  @ApiProperty({ enum: GRADES })
  grade!: Grade;

  /** A sentence for users. */
  @ApiProperty({ example: 'A critical finding is open.' })
  reason!: string;
}

/**
 * The quality of a release, by the effective evidence set of its candidate. For a shipped release, the quality at the time of
 * shipping.
 */
export class ScorecardDto implements Scorecard {
  /** The weighted score of the measured categories; null if none was measured. */
  @ApiProperty({ type: Number, nullable: true, minimum: 0, maximum: 100, example: 92.4 })
  score!: number | null;

  @ApiProperty({ type: String, enum: [...GRADES, null], nullable: true })
  grade!: Grade | null;

  @ApiProperty({ type: [CategoryScoreDto] })
  categories!: readonly CategoryScoreDto[];

  /** The categories that were not measured. They do not change the score. */
  @ApiProperty({ enum: CATEGORY_NAMES, isArray: true })
  incomplete!: readonly CategoryName[];

  /** The reasons that limit the grade regardless of the score. */
  @ApiProperty({ type: [ScoreCapDto] })
  caps!: readonly ScoreCapDto[];
}

/** Tests by name. */
export class TestSampleDto {
  @ApiProperty({ type: 'integer', minimum: 0, example: 1 })
  count!: number;

  /** The names of the first of them. */
  @ApiProperty({ type: [String], maxItems: 20, example: ['payments › pays › refuses an expired card'] })
  names!: readonly string[];
}

export class FlakyTestsDto extends TestSampleDto {
  /** The share of all tests that ran, from 0 to 1; null if none ran. */
  @ApiProperty({ type: Number, nullable: true, minimum: 0, maximum: 1, example: 0.01 })
  rate!: number | null;
}

export class TestChangeDto {
  /** Tests that fail now and did not fail in the predecessor. */
  @ApiProperty()
  newFailures!: TestSampleDto;

  /** Tests that failed in the predecessor and pass now. */
  @ApiProperty()
  fixedTests!: TestSampleDto;

  /** Tests that ran in the predecessor and do not run now. */
  @ApiProperty()
  lostTests!: TestSampleDto;
}

export class PreviousReleaseDto extends PickType(ReleaseReferenceDto, ['milestoneId', 'version']) {}

/** The difference between a release and its predecessor, the release of the same repository that was shipped last before it. */
export class ReleaseChangeDto {
  @ApiProperty()
  against!: PreviousReleaseDto;

  /** The change of the score in points; null if one of the two has no score. */
  @ApiProperty({ type: Number, nullable: true, example: -1.5 })
  score!: number | null;

  /** The change of line coverage in percentage points; null if one of the two has no coverage. */
  @ApiProperty({ type: Number, nullable: true, example: 0.25 })
  coverage!: number | null;

  /** Null if the names of their tests are not known or not compared yet. */
  @ApiProperty({ type: TestChangeDto, nullable: true })
  tests!: TestChangeDto | null;
}

/** An evidence item in a list of releases. */
export class QualityResultDto extends OmitType(EvidenceItemDto, ['failures', 'runUrl']) {}

/** A release with its evidence and its quality. */
export class ReleaseGroupDto extends ReleaseReferenceDto {
  @ApiProperty({ enum: STAGES })
  stage!: Stage;

  @ApiProperty({ type: ScorecardDto })
  scorecard!: Scorecard;

  /** Null if no release of the repository was shipped before. */
  @ApiProperty({ type: ReleaseChangeDto, nullable: true })
  change!: ReleaseChangeDto | null;

  /** Tests of the candidate that failed and passed at the same commit; null unless `comparison` is `known`. */
  @ApiProperty({ type: FlakyTestsDto, nullable: true })
  flaky!: FlakyTestsDto | null;

  /** Whether its tests were compared by name. `pending`: the comparison is queued. `unknown`: no comparison is possible. */
  @ApiProperty({ enum: COMPARISON_STATUSES })
  comparison!: ComparisonStatus;

  /**
   * The scores with which the releases of the repository shipped before this one, in the order of their deployments; null for one without a
   * score. Only if the request has `page` or `pageSize`.
   */
  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'number', nullable: true, minimum: 0, maximum: 100 },
    maxItems: MAX_EARLIER_SCORES,
    example: [88.5, null, 92.4],
  })
  earlierScores?: readonly (number | null)[];

  /** The items that the verdict uses and up to 200 others, newest first. Empty if the request has `results=none`. */
  @ApiProperty({ type: [QualityResultDto] })
  results!: readonly QualityResultDto[];

  /** The number of further results. */
  @ApiProperty({ type: 'integer', minimum: 0, example: 0 })
  moreResults!: number;
}

/** The possible values of the filters, at most 1,000 each, regardless of the current filters. */
export class QualityFilterOptionsDto {
  @ApiProperty({ type: [String], example: ['acme'] })
  owners!: readonly string[];

  /** The names without the owner. */
  @ApiProperty({ type: [String], example: ['payments'] })
  repos!: readonly string[];

  /** Versions, newest first. */
  @ApiProperty({ type: [String], example: ['v1.4.0'] })
  milestones!: readonly string[];

  @ApiProperty({ enum: EVIDENCE_KINDS, isArray: true })
  types!: readonly EvidenceKind[];

  @ApiProperty({ type: [String], example: ['staging'] })
  environments!: readonly string[];
}

/** The quality of releases. */
export class QualityDto {
  /** The releases, most recently received evidence first. */
  @ApiProperty({ type: [ReleaseGroupDto] })
  results!: readonly ReleaseGroupDto[];

  @ApiProperty()
  choices!: QualityFilterOptionsDto;

  /** Only if the request has `page` or `pageSize`. */
  @ApiPropertyOptional()
  pagination?: PageInfo;
}
