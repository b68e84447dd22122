import { ApiProperty } from '@nestjs/swagger';
import { SCOPE_RIGHTS, type ScopeRight } from '../../../domain/release/scope-change.js';
import { ReleaseUserDto } from '../records/release-user.dto.js';

const SHA = '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392';

/** A part of a release that was read from GitHub. */
export class ObservedPartDto {
  /** `unknown` if it was never read or the last read is too old. */
  @ApiProperty({ enum: ['current', 'unknown'] })
  status!: 'current' | 'unknown';

  /** Why it is unknown; null if it is current. */
  @ApiProperty({ type: String, nullable: true, example: null })
  reason!: string | null;

  /** When it was last read; null if it was never read. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  observedAt!: Date | null;
}

const REVIEW_STATES = ['approved', 'changes_requested', 'dismissed'] as const;

/** The last review of one user. */
export class EvidenceReviewDto extends ReleaseUserDto {
  /** The GitHub id of the reviewer, which a change of the login does not change. */
  @ApiProperty({ type: 'integer', example: 1_001 })
  userId!: number;

  @ApiProperty({ enum: REVIEW_STATES })
  state!: (typeof REVIEW_STATES)[number];

  /** The commit of the evidence pull request that was reviewed; null if GitHub names none. */
  @ApiProperty({ type: String, nullable: true, example: SHA })
  commitSha!: string | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-05-04T09:30:00Z' })
  submittedAt!: string;

  /** An approval that counts is one of the given ones. A request for changes that counts blocks the approval. */
  @ApiProperty()
  counts!: boolean;

  /** Why it does not count; null if it counts. */
  @ApiProperty({ type: String, nullable: true, example: 'ada wrote a commit of this release.' })
  reason!: string | null;
}

/** Who can still approve. */
export class EligibleReviewersDto {
  /** The slugs of the teams whose members may approve; if empty, every user with write access may. */
  @ApiProperty({ type: [String], example: ['release-managers'] })
  teams!: readonly string[];

  /**
   * The members of the workspace whose approval would count by fresh facts, without those whose approval counts. Other users may
   * be eligible too. Null if this is known of no member.
   */
  @ApiProperty({ type: [ReleaseUserDto], nullable: true })
  users!: readonly ReleaseUserDto[] | null;
}

/** The approvals of the evidence pull request. Of a shipped release, those with which it shipped. */
export class ReleaseApprovalsDto extends ObservedPartDto {
  /** The number that the policy requires; 0 if it requires none, null if the policy is not known or the release is shipped. */
  @ApiProperty({ type: 'integer', minimum: 0, nullable: true, example: 2 })
  required!: number | null;

  /** The number of approvals that count. */
  @ApiProperty({ type: 'integer', minimum: 0, example: 1 })
  given!: number;

  /** The last review of each user, newest first. Comments and reviews of deleted accounts are left out. */
  @ApiProperty({ type: [EvidenceReviewDto] })
  reviews!: readonly EvidenceReviewDto[];

  @ApiProperty()
  eligible!: EligibleReviewersDto;
}

const ELIGIBILITY_STATUSES = ['eligible', 'ineligible', 'unknown'] as const;

/** Whether the user's approval of the evidence counts. */
export class ReviewEligibilityDto {
  /** `unknown`: a fact is missing, too old, or GitHub did not return it in time. */
  @ApiProperty({ enum: ELIGIBILITY_STATUSES })
  status!: (typeof ELIGIBILITY_STATUSES)[number];

  /** The user's login on GitHub; null if it is not known. */
  @ApiProperty({ type: String, nullable: true, example: 'ada' })
  login!: string | null;

  @ApiProperty({ description: 'In one sentence.', example: 'ada may approve this release.' })
  reason!: string;
}

const PERMISSIONS = ['read', 'triage', 'write', 'maintain', 'admin', 'unknown'] as const;
export type ViewerPermission = (typeof PERMISSIONS)[number];

/** What the user who sends the request may do with the release. GitHub decides again at each action. */
export class ReleaseViewerDto {
  /** The user's permission in the repository; of a custom role its base permission. `unknown` if it was not read lately. */
  @ApiProperty({ enum: PERMISSIONS })
  permission!: ViewerPermission;

  /** `no` without the triage permission, and for a shipped release. */
  @ApiProperty({ enum: SCOPE_RIGHTS })
  canChangeScope!: ScopeRight;

  @ApiProperty()
  eligibility!: ReviewEligibilityDto;
}
