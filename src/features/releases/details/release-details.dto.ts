import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { EVIDENCE_KINDS, type EvidenceKind } from '../../../domain/evidence/evidence.js';
import { PIECE_STATUSES, type EvidenceItemStatus } from '../../../domain/evidence/evidence-status.js';
import { type Stage, STAGES } from '../../../domain/release/stage.js';
import { STAGE_STATUSES, type StageStatus } from '../../../domain/release/stage-report.js';
import { ConditionDto, OverrideDto } from '../gate/gate.dto.js';
import { ReleaseCardDto } from '../lists/release-list.dto.js';
import { PolicyRulesDto } from './release-policy.dto.js';

const SHA = '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392';

/** Whether all of it was read from GitHub just now. */
@ApiSchema({ name: 'Verification' })
export class VerificationDto {
  @ApiProperty({ enum: ['verified', 'unknown'] })
  status!: 'verified' | 'unknown';

  /** Why it was not; null where it was. */
  @ApiProperty({ type: String, nullable: true, example: null })
  reason!: string | null;
}

@ApiSchema({ name: 'MetCondition' })
export class MetConditionDto {
  /** Stable, for machines. */
  @ApiProperty({ example: 'tests_passed' })
  code!: string;

  /** A sentence for people. */
  @ApiProperty({ example: 'The tests passed: 214 of them.' })
  detail!: string;
}

/** A stage, with what it asks for. What people set aside is in none of its lists, but in the overrides. */
@ApiSchema({ name: 'StageDetails' })
export class StageDetailsDto {
  @ApiProperty({ enum: STAGES })
  stage!: Stage;

  /** Whether the release has left it, is in it, or has yet to come to it. */
  @ApiProperty({ enum: STAGE_STATUSES })
  standing!: StageStatus;

  /** By facts that are there and fresh. */
  @ApiProperty({ type: [MetConditionDto] })
  met!: readonly MetConditionDto[];

  @ApiProperty({ type: [ConditionDto] })
  unmet!: readonly ConditionDto[];

  /** Of which nobody can tell now, and why. */
  @ApiProperty({ type: [ConditionDto] })
  unknown!: readonly ConditionDto[];
}

class ObservedPartDto {
  /** `unknown` where it was never read, or so long ago that nothing can rest on it. */
  @ApiProperty({ enum: ['current', 'unknown'] })
  status!: 'current' | 'unknown';

  /** Why it is unknown; null where it is not. */
  @ApiProperty({ type: String, nullable: true, example: null })
  reason!: string | null;

  /** Null where it was never read. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  observedAt!: Date | null;
}

@ApiSchema({ name: 'ScopeIssue' })
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

/** The issues of the release: as they were observed last, and those of a shipped one as they were when it was shipped. */
@ApiSchema({ name: 'ReleaseScope' })
export class ReleaseScopeDto extends ObservedPartDto {
  @ApiProperty({ type: [ScopeIssueDto] })
  issues!: readonly ScopeIssueDto[];
}

@ApiSchema({ name: 'ReleaseEvidence' })
export class ReleaseEvidenceDto {
  /** Of the upload, which may hold several kinds. */
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

  /** `unmeasured`: it holds no numbers that could pass. */
  @ApiProperty({ enum: PIECE_STATUSES })
  status!: EvidenceItemStatus;

  /** Why it failed. */
  @ApiProperty({ type: [String], example: [] })
  failures!: readonly string[];

  /** Whether the verdict rests on it. */
  @ApiProperty()
  decides!: boolean;

  /** The numbers by kind. */
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: { unit_tests: { total: 3, passed: 3, failed: 0, skipped: 0 } },
  })
  metrics!: object;

  @ApiProperty({ type: String, format: 'uri', nullable: true })
  runUrl!: string | null;

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: Date;
}

@ApiSchema({ name: 'ReportedCheck' })
export class ReportedCheckDto {
  @ApiProperty({ example: 'build' })
  name!: string;

  /** Slug of the app that reported it; null for a commit status. */
  @ApiProperty({ type: String, nullable: true, example: 'github-actions' })
  app!: string | null;

  /** `skipped` is a check that was skipped or ended neutral: it shows nothing. */
  @ApiProperty({ enum: ['success', 'failure', 'pending', 'skipped'] })
  state!: 'success' | 'failure' | 'pending' | 'skipped';

  @ApiProperty({ type: String, format: 'uri', nullable: true })
  url!: string | null;
}

/** What was reported at the candidate, whether it is required or not. */
@ApiSchema({ name: 'ReleaseChecks' })
export class ReleaseChecksDto extends ObservedPartDto {
  /** Null where there is no candidate yet. */
  @ApiProperty({ type: String, nullable: true, example: SHA })
  commitSha!: string | null;

  @ApiProperty({ type: [ReportedCheckDto] })
  reported!: readonly ReportedCheckDto[];
}

@ApiSchema({ name: 'StageTransition' })
export class StageTransitionDto {
  /** Null for the first verdict of the release. */
  @ApiProperty({ enum: [...STAGES, null], nullable: true, type: String })
  from!: Stage | null;

  @ApiProperty({ enum: STAGES })
  to!: Stage;

  /** What had it thought over. */
  @ApiProperty({ example: 'evidence' })
  cause!: string;

  /** A login, or `service`. */
  @ApiProperty({ example: 'service' })
  actor!: string;

  @ApiProperty({ type: String, format: 'date-time' })
  at!: Date;
}

/** The rules that the release is held to, as they were observed last. */
@ApiSchema({ name: 'ReleasePolicy' })
export class ReleasePolicyDto extends ObservedPartDto {
  /** Whether there is a valid `sdlc.yaml`; null where it was never read. */
  @ApiProperty({ enum: ['valid', 'invalid', 'missing', null], nullable: true, type: String })
  state!: 'valid' | 'invalid' | 'missing' | null;

  /** SHA-256 over the rules in canonical form; null where no valid ones are known. */
  @ApiProperty({ type: String, nullable: true })
  digest!: string | null;

  /** Null where no valid ones are known. */
  @ApiProperty({ type: PolicyRulesDto, nullable: true })
  rules!: PolicyRulesDto | null;
}

/** One release whole, as it is now. */
@ApiSchema({ name: 'ReleaseDetails' })
export class ReleaseDetailsDto {
  @ApiProperty()
  release!: ReleaseCardDto;

  @ApiProperty()
  verification!: VerificationDto;

  /** All six, in their order. */
  @ApiProperty({ type: [StageDetailsDto] })
  stages!: readonly StageDetailsDto[];

  /** Everything that keeps the gate closed now; empty where it is open. */
  @ApiProperty({ type: [ConditionDto] })
  reasons!: readonly ConditionDto[];

  /** What somebody should know although it blocks nothing. */
  @ApiProperty({ type: [ConditionDto] })
  warnings!: readonly ConditionDto[];

  /** What people set aside, and by what. */
  @ApiProperty({ type: [OverrideDto] })
  overrides!: readonly OverrideDto[];

  @ApiProperty()
  scope!: ReleaseScopeDto;

  /** What decides, and the newest 200 of the rest; the newest first. */
  @ApiProperty({ type: [ReleaseEvidenceDto] })
  evidence!: readonly ReleaseEvidenceDto[];

  /** How many older pieces there are, none of which decides. */
  @ApiProperty({ type: 'integer', minimum: 0, example: 0 })
  moreEvidence!: number;

  @ApiProperty()
  checks!: ReleaseChecksDto;

  /** Every change of stage, the oldest first. */
  @ApiProperty({ type: [StageTransitionDto] })
  transitions!: readonly StageTransitionDto[];

  @ApiProperty()
  policy!: ReleasePolicyDto;
}
