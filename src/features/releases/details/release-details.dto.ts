import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { ITEM_STATUSES, type EvidenceItemStatus } from '../../../domain/evidence/evidence-status.js';
import { EVIDENCE_KINDS, type EvidenceKind, type EvidenceMetrics } from '../../../domain/evidence/evidence.js';
import { type Stage, STAGES } from '../../../domain/facts/condition.js';
import { ALLOWED_OVERRIDES, type AllowedOverride } from '../../../domain/facts/condition-catalogue.js';
import { STAGE_STATUSES, type StageStatus } from '../../../domain/release/stage-report.js';
import { MET_CODES, type MetCode } from '../../../domain/release/stage-rules.js';
import { ReleaseEnvironmentDto } from '../environments/environments.dto.js';
import { ConditionDto, OverrideDto, SubjectDto } from '../gate/gate.dto.js';
import { ReleaseSummaryDto } from '../lists/release-list.dto.js';
import { ObservedPartDto, ReleaseApprovalsDto, ReleaseViewerDto } from './release-approvals.dto.js';
import { PolicyRulesDto } from './release-policy.dto.js';

const SHA = '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392';

/** Whether the details use the stored facts, or the facts that GitHub returns now. */
const READ_MODES = ['stored', 'live'] as const;
export type ReadMode = (typeof READ_MODES)[number];

export class ReleaseDetailsQuery {
  @ApiPropertyOptional({
    description:
      '`live`: the facts are read from GitHub first. `stored`: the response uses stored facts only, without a call to GitHub and without the limit of live reads. Stale facts are unknown.',
    enum: READ_MODES,
    default: 'live',
  })
  @IsOptional()
  @IsIn(READ_MODES, { message: `look must be ${READ_MODES.join(', ')}` })
  look?: ReadMode;
}

/** Whether all of the release was just read from GitHub. */
export class RefreshStatusDto {
  @ApiProperty({ enum: ['verified', 'unknown'] })
  status!: 'verified' | 'unknown';

  /** Why it was not; null if it was. */
  @ApiProperty({ type: String, nullable: true, example: null })
  reason!: string | null;
}

export class MetConditionDto {
  /** A stable code for programs. */
  @ApiProperty({ enum: MET_CODES, example: 'tests_passed' })
  code!: MetCode;

  /** A sentence for users. */
  @ApiProperty({ example: 'The tests passed: 214 of them.' })
  detail!: string;
}

/** Since when a test has been failing, by the earlier uploads of its pipeline and environment. */
export class FirstFailureDto {
  /** In UTC. */
  @ApiProperty({ format: 'date', example: '2026-05-02' })
  day!: string;

  /** The CI run; null if the upload names none. */
  @ApiProperty({ type: String, nullable: true, example: 'https://github.com/acme/payments/actions/runs/9123456780' })
  runUrl!: string | null;
}

/** What earlier uploads of the repository say about a failed test. */
export class FailedTestHistoryDto {
  /** The earliest run from which on it failed in every upload; null if it fails since the run of this evidence. */
  @ApiProperty({ type: FirstFailureDto, nullable: true })
  failingSince!: FirstFailureDto | null;

  /** The version of the release in whose evidence it last passed; null if no stored upload has it as passed. */
  @ApiProperty({ type: String, nullable: true, example: 'v1.3.0' })
  lastPassedIn!: string | null;
}

/** A test that failed. */
export class FailedTestDto {
  /** Suites, class and test. */
  @ApiProperty({ example: 'Checkout › rejects an expired card' })
  name!: string;

  /** Why it failed, by its report, at most 1,000 characters; null if the report does not say so, or if more than 20 items fail. */
  @ApiProperty({ type: String, nullable: true, example: 'expected 402, got 200' })
  message!: string | null;

  /** Null if it is not known. */
  @ApiProperty({ type: FailedTestHistoryDto, nullable: true })
  history!: FailedTestHistoryDto | null;
}

/** The failed tests of one evidence item. */
export class FailedTestsDto {
  /** The id of the upload. */
  @ApiProperty({ format: 'uuid' })
  evidenceId!: string;

  /** The number of failed tests. */
  @ApiProperty({ type: 'integer', minimum: 1, example: 1 })
  count!: number;

  /** The first of them. Tests whose names are not known are left out. */
  @ApiProperty({ type: [FailedTestDto], maxItems: 3 })
  tests!: readonly FailedTestDto[];

  /** The URL of the CI run; null if the upload names none. */
  @ApiProperty({ type: String, format: 'uri', nullable: true })
  runUrl!: string | null;
}

/** A requirement that is not met, with what admins can do about it. */
export class ReleaseConditionDto extends ConditionDto {
  /** Whether it keeps the gate closed now. Then it is one of `reasons`. */
  @ApiProperty()
  closesGate!: boolean;

  /** The failed tests that it is about; null if it is about something else. */
  @ApiProperty({ type: FailedTestsDto, nullable: true })
  failedTests!: FailedTestsDto | null;

  /**
   * What two admins can decide: `waiver`, or break-glass, which covers these conditions too; `break_glass` alone; or `none`. It is
   * `none` for all conditions of a release that is shipped or cancelled or has no candidate.
   */
  @ApiProperty({ enum: ALLOWED_OVERRIDES })
  override!: AllowedOverride;

  /** What is not met: the failed tests, findings, runs of checks, issues or freezes. A waiver covers these and no others. */
  @ApiProperty({ type: [SubjectDto] })
  subjects!: readonly SubjectDto[];
}

/** A stage with its requirements. A condition that an override covers is not in these lists, but in `overrides`. */
export class StageDetailsDto {
  @ApiProperty({ enum: STAGES })
  stage!: Stage;

  /** Whether the release has passed the stage, is in it, or has not reached it. */
  @ApiProperty({ enum: STAGE_STATUSES })
  standing!: StageStatus;

  /** The conditions that fresh facts prove. */
  @ApiProperty({ type: [MetConditionDto] })
  met!: readonly MetConditionDto[];

  @ApiProperty({ type: [ReleaseConditionDto] })
  unmet!: readonly ReleaseConditionDto[];

  /** The conditions that cannot be checked now, with the reason. */
  @ApiProperty({ type: [ReleaseConditionDto] })
  unknown!: readonly ReleaseConditionDto[];
}

export class ScopeIssueDto {
  @ApiProperty({ type: 'integer', example: 12 })
  number!: number;

  @ApiProperty({ example: 'Pay by card' })
  title!: string;

  @ApiProperty({ enum: ['open', 'closed'] })
  state!: 'open' | 'closed';

  /** The logins of its assignees. */
  @ApiProperty({ type: [String], example: ['ada'] })
  owners!: readonly string[];

  @ApiProperty({ type: [String], example: ['bug'] })
  labels!: readonly string[];

  @ApiProperty({ format: 'uri', example: 'https://github.com/acme/payments/issues/12' })
  url!: string;
}

/** The issues of the release as they were last observed. For a shipped release, the issues at the time of shipping. */
export class ReleaseScopeDto extends ObservedPartDto {
  @ApiProperty({ type: [ScopeIssueDto] })
  issues!: readonly ScopeIssueDto[];
}

/** One kind of evidence of one upload. */
export class EvidenceItemDto {
  /** The id of the upload. Items of one upload share it. */
  @ApiProperty({ format: 'uuid' })
  evidenceId!: string;

  @ApiProperty({ enum: EVIDENCE_KINDS })
  type!: EvidenceKind;

  @ApiProperty({ example: 'staging' })
  environment!: string;

  @ApiProperty({ example: 'build and test' })
  pipeline!: string;

  @ApiProperty({ example: SHA })
  commitSha!: string;

  /** The metrics by kind. */
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: { unit_tests: { total: 12, passed: 12, failed: 0, skipped: 0 } },
  })
  metrics!: EvidenceMetrics;

  /** The status of this item alone. `unmeasured`: it has no metrics that could pass. */
  @ApiProperty({ enum: ITEM_STATUSES })
  status!: EvidenceItemStatus;

  /** The reasons for the status `failed`. */
  @ApiProperty({ type: [String], example: [] })
  failures!: readonly string[];

  /** Whether the verdict of the release uses it now. A shipped release uses none, because its facts are frozen. */
  @ApiProperty()
  decides!: boolean;

  /** The URL of the CI run. */
  @ApiProperty({ type: String, format: 'uri', nullable: true })
  runUrl!: string | null;

  /** When it was received. */
  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: Date;
}

export class ReportedCheckDto {
  @ApiProperty({ example: 'build' })
  name!: string;

  /** The slug of the app that reported it; null for a commit status. */
  @ApiProperty({ type: String, nullable: true, example: 'github-actions' })
  app!: string | null;

  /** `skipped` is a check that was skipped or ended neutral. It proves nothing. */
  @ApiProperty({ enum: ['success', 'failure', 'pending', 'skipped'] })
  state!: 'success' | 'failure' | 'pending' | 'skipped';

  @ApiProperty({ type: String, format: 'uri', nullable: true })
  url!: string | null;
}

/** All checks that were reported at the candidate, required or not. */
export class ReleaseChecksDto extends ObservedPartDto {
  /** The candidate; null if there is none yet. */
  @ApiProperty({ type: String, nullable: true, example: SHA })
  commitSha!: string | null;

  @ApiProperty({ type: [ReportedCheckDto] })
  reported!: readonly ReportedCheckDto[];
}

export class StageTransitionDto {
  /** Null for the first verdict of the release. */
  @ApiProperty({ enum: [...STAGES, null], nullable: true, type: String })
  from!: Stage | null;

  @ApiProperty({ enum: STAGES })
  to!: Stage;

  /** What caused the evaluation. */
  @ApiProperty({ example: 'evidence' })
  cause!: string;

  /** A login, or `service`. */
  @ApiProperty({ example: 'service' })
  actor!: string;

  @ApiProperty({ type: String, format: 'date-time' })
  at!: Date;
}

/** The policy of the release as it was last observed. */
export class ReleasePolicyDto extends ObservedPartDto {
  /** Whether there is a valid `sdlc.yaml`; null where it was never read. */
  @ApiProperty({ enum: ['valid', 'invalid', 'missing', null], nullable: true, type: String })
  state!: 'valid' | 'invalid' | 'missing' | null;

  /** SHA-256 over the rules in canonical form; null if no valid rules are known. */
  @ApiProperty({ type: String, nullable: true })
  digest!: string | null;

  /** Null if no valid rules are known. */
  @ApiProperty({ type: PolicyRulesDto, nullable: true })
  rules!: PolicyRulesDto | null;

  /** The keys that the organization's default states; null if it has none, or if no valid rules are known. */
  @ApiProperty({ type: [String], nullable: true, example: ['stages.deployment.target'] })
  organizationKeys!: readonly string[] | null;
}

/** All details of one release. */
export class ReleaseDetailsDto {
  @ApiProperty()
  release!: ReleaseSummaryDto;

  @ApiProperty()
  verification!: RefreshStatusDto;

  /** All six stages, in order. */
  @ApiProperty({ type: [StageDetailsDto] })
  stages!: readonly StageDetailsDto[];

  /** The conditions that keep the gate closed now; empty if it is open. */
  @ApiProperty({ type: [ReleaseConditionDto] })
  reasons!: readonly ReleaseConditionDto[];

  /** Conditions that do not block the release. */
  @ApiProperty({ type: [ReleaseConditionDto] })
  warnings!: readonly ReleaseConditionDto[];

  /** The overrides in effect, with the conditions that they cover. */
  @ApiProperty({ type: [OverrideDto] })
  overrides!: readonly OverrideDto[];

  @ApiProperty()
  scope!: ReleaseScopeDto;

  /** The items that the verdict uses and the newest 200 of the others; newest first. */
  @ApiProperty({ type: [EvidenceItemDto] })
  evidence!: readonly EvidenceItemDto[];

  /** The number of older items that are not listed. The verdict uses none of them. */
  @ApiProperty({ type: 'integer', minimum: 0, example: 0 })
  moreEvidence!: number;

  @ApiProperty()
  checks!: ReleaseChecksDto;

  /** All changes of stage, oldest first. */
  @ApiProperty({ type: [StageTransitionDto] })
  transitions!: readonly StageTransitionDto[];

  @ApiProperty()
  policy!: ReleasePolicyDto;

  /** The environments that the policy names, in the order of their stages; empty if no valid policy is known. */
  @ApiProperty({ type: [ReleaseEnvironmentDto] })
  environments!: readonly ReleaseEnvironmentDto[];

  @ApiProperty()
  approvals!: ReleaseApprovalsDto;

  @ApiProperty()
  viewer!: ReleaseViewerDto;
}
