import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { ELIGIBILITY_STATUSES, type EligibilityStatus } from '../../domain/review/eligibility.js';
import { REVIEW_STATES, type ReviewState } from '../../domain/review/review-policy.js';
import { PageInfo, PageQuery, type QueryMembers } from '../../http/pagination/pagination.dto.js';
import { IsSearchTerm } from '../../http/validation/field.decorators.js';
import { ReviewEligibilityDto } from '../releases/details/release-approvals.dto.js';
import { ReleaseReferenceDto } from '../releases/lists/release-list.dto.js';
import { REVIEW_SCOPES, type ReviewScope, type ReviewSelection } from './pending-reviews.queries.js';

const POLICY_STATUSES = ['available', 'unknown'] as const;
const EFFECT_STATUSES = ['configured', 'unknown'] as const;
const PROMOTIONS = ['manual', 'auto'] as const;

/** The filter of the pending reviews. */
export class PendingReviewsQuery extends PageQuery {
  @ApiPropertyOptional({
    description:
      '`mine`: reviews that you may give, by fresh facts. `workspace`: all reviews that you can see, which is the default if `eligibility` is sent. Applies to pages only.',
    enum: REVIEW_SCOPES,
    default: 'mine',
  })
  @IsOptional()
  @IsIn(REVIEW_SCOPES, { message: `scope must be ${REVIEW_SCOPES.join(', ')}` })
  scope?: ReviewScope;

  /** Whether your approval counts: by stored facts on a page, by GitHub's present facts in the whole list. */
  @ApiPropertyOptional({ enum: ELIGIBILITY_STATUSES })
  @IsOptional()
  @IsIn(ELIGIBILITY_STATUSES, { message: `eligibility must be ${ELIGIBILITY_STATUSES.join(', ')}` })
  eligibility?: EligibilityStatus;

  @IsSearchTerm(
    "A part of a version, of a repository's name, or of both, as in `catalog v0.9`; of `owner/name` where it has a slash.",
  )
  search?: string;
}

/** Converts the query to a selection. No review of others is `mine`, so `eligibility` without a scope selects from the workspace. */
export const toReviewSelection = ({
  scope,
  eligibility,
  search,
}: QueryMembers<Pick<PendingReviewsQuery, keyof ReviewSelection>>): ReviewSelection => ({
  scope: scope ?? (eligibility === undefined ? 'mine' : 'workspace'),
  eligibility: eligibility ?? null,
  search: search ?? null,
});

/** The review rules of `sdlc.yaml`, and the effect of an approval. */
export class ReleaseReviewPolicyDto {
  @ApiProperty({ type: 'integer', minimum: 0, example: 2 })
  minApprovals!: number;

  /** The slugs of the teams whose members may approve; if empty, every user with write access may. */
  @ApiProperty({ type: [String], example: ['release-managers'] })
  teams!: readonly string[];

  @ApiProperty({ example: 'production' })
  deploymentTarget!: string;

  @ApiProperty({ enum: PROMOTIONS })
  promotion!: (typeof PROMOTIONS)[number];

  /** False if a release may be deployed without an approval of its evidence. */
  @ApiProperty()
  requiresEvidenceApproval!: boolean;
}

/** The effects of an approval under the policy. An approval does not certify a deployment to production. */
export class ApprovalEffectsDto {
  @ApiProperty({ enum: EFFECT_STATUSES })
  status!: (typeof EFFECT_STATUSES)[number];

  @ApiProperty({
    description: 'In one sentence.',
    example:
      'With the approvals of 2 eligible reviewers and no requested changes, the evidence of v1.4.0 counts as approved. This alone deploys nothing. A deployer must deploy it to production while the gate is open.',
  })
  summary!: string;
}

/** The review of a release's evidence, for one user. */
export class ReleaseReviewDetailDto extends OmitType(ReleaseReferenceDto, ['repoId']) {
  /** The number of the latest evidence pull request; null if there is none yet. */
  @ApiProperty({ type: 'integer', nullable: true, minimum: 1, example: 42 })
  evidencePrNumber!: number | null;

  @ApiProperty({ type: String, format: 'uri', nullable: true, example: 'https://github.com/acme/payments/pull/42' })
  evidencePrUrl!: string | null;

  @ApiProperty()
  eligibility!: ReviewEligibilityDto;

  /** Null if no valid `sdlc.yaml` is known now. */
  @ApiProperty({ type: ReleaseReviewPolicyDto, nullable: true })
  policy!: ReleaseReviewPolicyDto | null;

  @ApiProperty({ enum: POLICY_STATUSES })
  policyStatus!: (typeof POLICY_STATUSES)[number];

  @ApiProperty()
  approvalEffects!: ApprovalEffectsDto;

  /** The state of the evidence pull request; `closed` means closed without a merge. */
  @ApiProperty({ enum: REVIEW_STATES })
  reviewState!: ReviewState;
}

/** The approvals of a pending review. */
export class ApprovalCountsDto {
  /** The number that the policy requires; null if no valid `sdlc.yaml` is known now. */
  @ApiProperty({ type: 'integer', minimum: 0, nullable: true, example: 2 })
  required!: number | null;

  /** The number that counts by the last evaluation; null if the evaluation did not store it. */
  @ApiProperty({ type: 'integer', minimum: 0, nullable: true, example: 1 })
  given!: number | null;
}

/** A review that waits for approvals. */
export class PendingReviewDto extends ReleaseReviewDetailDto {
  @ApiProperty({ format: 'uuid' })
  repoId!: string;

  @ApiProperty()
  approvals!: ApprovalCountsDto;

  /**
   * The number of tests that ran in the last shipped release and do not run now. Null without such a release, until the tests were
   * compared, if their names are not known, and in the whole list.
   */
  @ApiProperty({ type: 'integer', minimum: 0, nullable: true, example: 0 })
  lostTests!: number | null;

  /** When the evidence pull request was opened, or when the release last came to wait for approvals if that is later. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  waitingSince!: Date | null;

  @ApiProperty({ type: String, format: 'uri', nullable: true, example: 'https://github.com/acme/payments/milestone/7' })
  milestoneUrl!: string | null;

  /** When the release last changed. */
  @ApiProperty({ type: String, format: 'date-time' })
  updatedAt!: Date;
}

/** The evidence pull requests that wait for approvals. */
export class PendingReviewsDto {
  /** The reviews, last changed first. */
  @ApiProperty({ type: [PendingReviewDto] })
  reviews!: readonly PendingReviewDto[];

  /**
   * The number of pending reviews that the user can see and that match the search, regardless of the scope, the eligibility and the
   * page. Only if the request has `page` or `pageSize`.
   */
  @ApiPropertyOptional({ type: 'integer', minimum: 0 })
  workspaceTotal?: number;

  /** How many of them have an unknown eligibility. Only if the request has `page` or `pageSize`. */
  @ApiPropertyOptional({ type: 'integer', minimum: 0 })
  unknown?: number;

  /** Only if the request has `page` or `pageSize`. */
  @ApiPropertyOptional()
  pagination?: PageInfo;
}

/** What waits for users. */
export class WaitingCountsDto {
  /** The active releases that are blocked, also by a freeze. */
  @ApiProperty({ type: 'integer', minimum: 0, example: 3 })
  blockedReleases!: number;

  /** The reviews that you can give now; null while this is not known of some. */
  @ApiProperty({ type: 'integer', nullable: true, minimum: 0, example: 1 })
  reviews!: number | null;
}
