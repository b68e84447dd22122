import { ApiProperty, OmitType, PickType } from '@nestjs/swagger';
import { type Finding, SCAN_KINDS, type ScanKind } from '../../domain/evidence/evidence.js';
import type { ScanChange } from '../../domain/quality/scan-change.js';
import { COMPARISON_STATUSES, type ComparisonStatus } from '../../domain/quality/test-results.js';
import {
  FlakyTestsDto,
  PreviousReleaseDto,
  ReleaseChangeDto,
  ScorecardDto,
  TestChangeDto,
} from '../quality/quality.dto.js';
import { EvidenceReviewDto, ObservedPartDto } from '../releases/details/release-approvals.dto.js';
import { ScopeIssueDto } from '../releases/details/release-details.dto.js';
import { OverrideDto } from '../releases/gate/gate.dto.js';
import { ReleaseReferenceDto } from '../releases/lists/release-list.dto.js';

const SHA = '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392';
const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const;

/** The commits and files that changed, as GitHub compared the two commits. */
export class CodeChangesDto {
  @ApiProperty({ type: 'integer', minimum: 0, example: 12 })
  commits!: number;

  /** False if GitHub listed only a part, so that there are more. */
  @ApiProperty()
  commitsComplete!: boolean;

  @ApiProperty({ type: 'integer', minimum: 0, example: 34 })
  files!: number;

  /** False if GitHub listed only a part, so that there are more. */
  @ApiProperty()
  filesComplete!: boolean;

  /** The first of the files. */
  @ApiProperty({ type: [String], maxItems: 20, example: ['src/pay.ts'] })
  paths!: readonly string[];
}

/** The release of the same repository that was shipped last before this one. */
export class ShippedBeforeDto extends PreviousReleaseDto {
  @ApiProperty({ type: String, nullable: true, example: SHA })
  commitSha!: string | null;

  /** The comparison of the two candidates on GitHub; null if this release has no candidate. */
  @ApiProperty({
    type: String,
    format: 'uri',
    nullable: true,
    example: `https://github.com/acme/payments/compare/9f8e7d6c5b4a...${SHA}`,
  })
  comparisonUrl!: string | null;

  /** Null if the service did not compare the two commits. It compares them if the policy excludes authors. */
  @ApiProperty({ type: CodeChangesDto, nullable: true })
  changes!: CodeChangesDto | null;
}

/** The issues of the release, as they were last observed. */
export class BriefScopeDto extends ObservedPartDto {
  @ApiProperty({ type: 'integer', minimum: 0, example: 2 })
  open!: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 14 })
  closed!: number;

  /** The first of them. */
  @ApiProperty({ type: [ScopeIssueDto], maxItems: 20 })
  issues!: readonly ScopeIssueDto[];
}

/** The number of tests that the verdict uses, of all uploads together. */
export class TestCountsDto {
  @ApiProperty({ type: 'integer', minimum: 0, example: 214 })
  passed!: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 0 })
  failed!: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 3 })
  skipped!: number;
}

/** The tests of the candidate, and of the release before. */
export class BriefTestsDto {
  /** Null if there are none. */
  @ApiProperty({ type: TestCountsDto, nullable: true })
  now!: TestCountsDto | null;

  /** Null if no release was shipped before, or if it has no tests. */
  @ApiProperty({ type: TestCountsDto, nullable: true })
  before!: TestCountsDto | null;

  /** The difference by name; null unless `comparison` is `known`, or if the names of the release before are not known. */
  @ApiProperty({ type: TestChangeDto, nullable: true })
  change!: TestChangeDto | null;

  /** Null unless `comparison` is `known`. */
  @ApiProperty({ type: FlakyTestsDto, nullable: true })
  flaky!: FlakyTestsDto | null;

  /** `pending`: the comparison is queued. `unknown`: no comparison is possible. */
  @ApiProperty({ enum: COMPARISON_STATUSES })
  comparison!: ComparisonStatus;
}

class NewFindingDto implements Pick<Finding, 'label' | 'severity' | 'count'> {
  @ApiProperty({ example: 'high: sql-injection in src/pay.ts' })
  label!: string;

  @ApiProperty({ enum: SEVERITIES })
  severity!: Finding['severity'];

  /** The number of new findings of this rule in this place. */
  @ApiProperty({ type: 'integer', minimum: 1, example: 1 })
  count!: number;
}

/** The findings of scans that the release before did not have. */
export class NewFindingsDto {
  @ApiProperty({ type: 'integer', minimum: 0, example: 1 })
  count!: number;

  /** The worst of them. */
  @ApiProperty({ type: [NewFindingDto], maxItems: 20 })
  findings!: readonly NewFindingDto[];

  /** The number of findings that cannot be compared, because their reports do not identify them. */
  @ApiProperty({ type: 'integer', minimum: 0, example: 0 })
  unidentified!: number;
}

/** The kinds of scans that the verdict uses and that only one of the two releases has. */
export class ScanChangeDto implements ScanChange {
  /** The release before has such a scan and this one lacks it, so new findings of the kind are not known. */
  @ApiProperty({ enum: SCAN_KINDS, isArray: true, example: ['security'] })
  lost!: readonly ScanKind[];

  /** This release has such a scan and the one before lacks it, so none of its findings is compared. */
  @ApiProperty({ enum: SCAN_KINDS, isArray: true, example: [] })
  added!: readonly ScanKind[];
}

/** What a reviewer of a release must know, by stored facts. */
export class ReviewBriefDto extends OmitType(ReleaseReferenceDto, ['repoId']) {
  /** Null if there is none yet. */
  @ApiProperty({ type: String, nullable: true, example: SHA })
  candidateSha!: string | null;

  @ApiProperty({ type: String, format: 'uri', nullable: true, example: 'https://github.com/acme/payments/pull/42' })
  evidencePrUrl!: string | null;

  /** Null if no release of the repository was shipped before. */
  @ApiProperty({ type: ShippedBeforeDto, nullable: true })
  since!: ShippedBeforeDto | null;

  @ApiProperty()
  scope!: BriefScopeDto;

  @ApiProperty()
  tests!: BriefTestsDto;

  @ApiProperty({ type: ScorecardDto })
  scorecard!: ScorecardDto;

  /** The change of score and coverage; null if no release was shipped before. */
  @ApiProperty({ type: PickType(ReleaseChangeDto, ['score', 'coverage']), nullable: true })
  change!: Pick<ReleaseChangeDto, 'score' | 'coverage'> | null;

  /** Null if no scan of the same kind exists of both releases. */
  @ApiProperty({ type: NewFindingsDto, nullable: true })
  newFindings!: NewFindingsDto | null;

  /** Null if no release of the repository was shipped before, or while this one has no evidence that the verdict uses. */
  @ApiProperty({ type: ScanChangeDto, nullable: true })
  scanChange!: ScanChangeDto | null;

  /** The overrides in effect, with the conditions that they cover. */
  @ApiProperty({ type: [OverrideDto] })
  overrides!: readonly OverrideDto[];

  /** The last review of the user who asks; null if there is none. */
  @ApiProperty({ type: EvidenceReviewDto, nullable: true })
  ownReview!: EvidenceReviewDto | null;
}
