import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { EVIDENCE_KINDS, type EvidenceKind } from '../../../domain/evidence/evidence.js';
import { RELEASE_NAMING_FORMATS, type ReleaseNamingFormat } from '../../../domain/policy/policy.js';

const LIMIT = { type: 'integer', nullable: true, minimum: 0, example: 0 } as const;
const PER_CENT = { type: Number, nullable: true, example: 80 } as const;

export class RequiredCheckDto {
  @ApiProperty({ example: 'build' })
  name!: string;

  /** The slug of the app that must report it; null accepts any app and also a commit status. */
  @ApiProperty({ type: String, nullable: true, example: 'github-actions' })
  app!: string | null;

  /** Whether a check that was skipped or ended neutral counts as met. */
  @ApiProperty()
  allowSkipped!: boolean;
}

export class RequiredEvidenceDto {
  @ApiProperty({ enum: EVIDENCE_KINDS })
  kind!: EvidenceKind;

  /** Null accepts any environment. */
  @ApiProperty({ type: String, nullable: true, example: 'staging' })
  environment!: string | null;

  /** The minimum number of passed tests; 0 for kinds without tests. */
  @ApiProperty({ type: 'integer', minimum: 0, example: 1 })
  minTests!: number;
}

export class PlanningRulesDto {
  @ApiProperty()
  requireIssues!: boolean;

  @ApiProperty()
  requireIssuesAssigned!: boolean;
}

export class DevelopmentRulesDto {
  /** Null means the default branch of the repository. */
  @ApiProperty({ type: String, nullable: true, example: 'main' })
  branch!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'dev' })
  deployTarget!: string | null;

  @ApiProperty({ type: [RequiredCheckDto] })
  requiredChecks!: readonly RequiredCheckDto[];

  @ApiProperty()
  requireIssuesClosed!: boolean;

  @ApiProperty({ type: [String], example: ['bug'] })
  exemptLabels!: readonly string[];
}

export class TestingRulesDto {
  @ApiProperty({ example: 'release/**' })
  branchPattern!: string;

  @ApiProperty({ type: String, nullable: true, example: 'staging' })
  deployTarget!: string | null;

  @ApiProperty({ type: [RequiredCheckDto] })
  requiredChecks!: readonly RequiredCheckDto[];
}

export class RequiredReviewersDto {
  @ApiProperty({ type: 'integer', minimum: 0, example: 2 })
  minApprovals!: number;

  /** Slugs of teams. If empty, every user with write access to the repository counts. */
  @ApiProperty({ type: [String], example: ['release-managers'] })
  teams!: readonly string[];

  @ApiProperty()
  excludeReleaseAuthors!: boolean;
}

export class EvidencingRulesDto {
  @ApiProperty({ type: [RequiredEvidenceDto] })
  requiredEvidence!: readonly RequiredEvidenceDto[];

  @ApiProperty()
  requiredReviewers!: RequiredReviewersDto;
}

export class HoldPolicyDto {
  /** How long a deployment may wait for the gate. */
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 696, example: 24 })
  hours!: number;

  /** What happens to a deployment while the gate is closed. */
  @ApiProperty({ enum: ['wait', 'reject'] })
  whenClosed!: 'wait' | 'reject';
}

export class DeploymentRulesDto {
  @ApiProperty({ example: 'production' })
  target!: string;

  @ApiProperty({ enum: ['manual', 'auto'] })
  promotion!: 'manual' | 'auto';

  @ApiProperty()
  requiresEvidenceApproval!: boolean;

  /** What the protection rule of the target does; absent if it holds deployments for 24 hours, which is the default. */
  @ApiPropertyOptional({ type: HoldPolicyDto })
  hold?: HoldPolicyDto;
}

export class CoverageGateDto {
  @ApiProperty(PER_CENT)
  minLinePercent!: number | null;

  /** In percentage points, compared with the last shipped release. */
  @ApiProperty({ ...PER_CENT, example: 1 })
  maxDrop!: number | null;
}

/** The maximum number of findings per severity; null sets no limit. */
export class SeverityLimitsDto {
  @ApiProperty(LIMIT)
  maxCritical!: number | null;

  @ApiProperty(LIMIT)
  maxHigh!: number | null;

  @ApiProperty(LIMIT)
  maxMedium!: number | null;

  @ApiProperty(LIMIT)
  maxLow!: number | null;
}

export class QualityGatesDto {
  @ApiProperty()
  coverage!: CoverageGateDto;

  @ApiProperty()
  sastScan!: SeverityLimitsDto;

  @ApiProperty()
  security!: SeverityLimitsDto;
}

export class PolicyFreezeDto {
  /** In UTC; both days are included. */
  @ApiProperty({ format: 'date', example: '2026-12-20' })
  from!: string;

  @ApiProperty({ format: 'date', example: '2027-01-02' })
  to!: string;

  @ApiProperty({ example: 'year end' })
  reason!: string;
}

/** The rules of `sdlc.yaml` merged with the organization's default, with every default filled in. */
export class PolicyRulesDto {
  @ApiProperty({ type: String, nullable: true, example: 'payments' })
  name!: string | null;

  @ApiProperty({ enum: RELEASE_NAMING_FORMATS })
  releaseNaming!: ReleaseNamingFormat;

  @ApiProperty({ example: 'hotfix/**' })
  hotfixBranchPattern!: string;

  /** Events of CI runs that may upload evidence in addition to the safe ones. */
  @ApiProperty({ type: [String], example: [] })
  evidenceEvents!: readonly string[];

  @ApiProperty()
  planning!: PlanningRulesDto;

  @ApiProperty()
  development!: DevelopmentRulesDto;

  @ApiProperty()
  testing!: TestingRulesDto;

  @ApiProperty()
  evidencing!: EvidencingRulesDto;

  @ApiProperty()
  deployment!: DeploymentRulesDto;

  @ApiProperty()
  qualityGates!: QualityGatesDto;

  @ApiProperty({ type: [PolicyFreezeDto] })
  freezes!: readonly PolicyFreezeDto[];
}
