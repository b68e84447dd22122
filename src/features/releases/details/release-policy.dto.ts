import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { EVIDENCE_KINDS, type EvidenceKind } from '../../../domain/evidence/evidence.js';
import {
  ARTIFACT_BUILDERS,
  POLICY_SOURCES,
  type PolicySource,
  RELEASE_NAMING_FORMATS,
  type ReleaseNamingFormat,
} from '../../../domain/policy/policy.js';

const LIMIT = { type: 'integer', nullable: true, minimum: 0, example: 0 } as const;
const SOURCE = { enum: POLICY_SOURCES } as const;
const PER_CENT = { type: Number, nullable: true, example: 80 } as const;

/** A requirement with the document that states it. */
class SourcedRequirementDto {
  /** The organization's default or the repository's `sdlc.yaml`; absent if the organization has no default. */
  @ApiPropertyOptional({ enum: POLICY_SOURCES })
  source?: PolicySource;
}

export class RequiredCheckDto extends SourcedRequirementDto {
  @ApiProperty({ example: 'build' })
  name!: string;

  /** The slug of the app that must report it; null accepts any app and also a commit status. */
  @ApiProperty({ type: String, nullable: true, example: 'github-actions' })
  app!: string | null;

  /** Whether a check that was skipped or ended neutral counts as met. */
  @ApiProperty()
  allowSkipped!: boolean;
}

export class RequiredEvidenceDto extends SourcedRequirementDto {
  @ApiProperty({ enum: EVIDENCE_KINDS })
  kind!: EvidenceKind;

  /** Null accepts any environment. */
  @ApiProperty({ type: String, nullable: true, example: 'staging' })
  environment!: string | null;

  /** The minimum number of passed tests; 0 for kinds without tests. */
  @ApiProperty({ type: 'integer', minimum: 0, example: 1 })
  minTests!: number;

  /** Present if only runs count that began after the deployment to the environment of TESTING. */
  @ApiPropertyOptional({ enum: [true] })
  afterDeployment?: true;
}

/** The sources of the planning rules that are required; absent if the organization has no default. */
export class PlanningSourcesDto {
  @ApiPropertyOptional(SOURCE)
  requireIssues?: PolicySource;

  @ApiPropertyOptional(SOURCE)
  requireIssuesAssigned?: PolicySource;
}

export class PlanningRulesDto {
  @ApiProperty()
  requireIssues!: boolean;

  @ApiProperty()
  requireIssuesAssigned!: boolean;

  @ApiPropertyOptional({ type: PlanningSourcesDto })
  sources?: PlanningSourcesDto;
}

/** Every issue must be closed, except those with one of these labels. */
export class ClosedIssuesRuleDto extends SourcedRequirementDto {
  @ApiProperty({ type: [String], example: ['bug'] })
  exemptLabels!: readonly string[];
}

export class DevelopmentRulesDto {
  /** Null means the default branch of the repository. */
  @ApiProperty({ type: String, nullable: true, example: 'main' })
  branch!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'dev' })
  deployTarget!: string | null;

  /** How long the candidate must stay deployed there, in seconds; absent without a soak. */
  @ApiPropertyOptional({ type: 'integer', minimum: 0, maximum: 2_592_000, example: 86_400 })
  soak?: number;

  @ApiProperty({ type: [RequiredCheckDto] })
  requiredChecks!: readonly RequiredCheckDto[];

  /** Every one of them applies; empty if issues may stay open. */
  @ApiProperty({ type: [ClosedIssuesRuleDto] })
  closedIssues!: readonly ClosedIssuesRuleDto[];
}

export class RequiredArtifactDto extends SourcedRequirementDto {
  @ApiProperty({ example: 'api' })
  name!: string;

  /** Whether a verified provenance is required. Otherwise the statement of a run is sufficient. */
  @ApiProperty()
  provenance!: boolean;

  /** The kind of the runner that must have built it. */
  @ApiProperty({ enum: ARTIFACT_BUILDERS })
  builder!: (typeof ARTIFACT_BUILDERS)[number];

  /** The workflow that must have signed; null for any. */
  @ApiProperty({ type: String, nullable: true, example: 'acme/payments/.github/workflows/build.yml' })
  signerWorkflow!: string | null;
}

export class TestingRulesDto {
  @ApiProperty({ example: 'release/**' })
  branchPattern!: string;

  @ApiProperty({ type: String, nullable: true, example: 'staging' })
  deployTarget!: string | null;

  /** How long the candidate must stay deployed there, in seconds; absent without a soak. */
  @ApiPropertyOptional({ type: 'integer', minimum: 0, maximum: 2_592_000, example: 86_400 })
  soak?: number;

  @ApiProperty({ type: [RequiredCheckDto] })
  requiredChecks!: readonly RequiredCheckDto[];

  @ApiProperty({ type: [RequiredArtifactDto] })
  requiredArtifacts!: readonly RequiredArtifactDto[];
}

export class ReviewerRequirementDto extends SourcedRequirementDto {
  @ApiProperty({ type: 'integer', minimum: 0, example: 2 })
  minApprovals!: number;

  /** Slugs of teams. If empty, every user with write access to the repository counts. */
  @ApiProperty({ type: [String], example: ['release-managers'] })
  teams!: readonly string[];

  /** Whether an approval by an author of the release does not count. */
  @ApiProperty()
  excludeReleaseAuthors!: boolean;

  /** Present if a request for changes by an author counts, although an approval does not. */
  @ApiPropertyOptional({ enum: [true] })
  authorsMayObject?: true;
}

export class EvidencingRulesDto {
  @ApiProperty({ type: [RequiredEvidenceDto] })
  requiredEvidence!: readonly RequiredEvidenceDto[];

  /** Every one of them applies if the evidence needs an approval; one user may count for each. */
  @ApiProperty({ type: [ReviewerRequirementDto] })
  requiredReviewers!: readonly ReviewerRequirementDto[];
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

/** The sources of the limits; absent if the organization has no default. */
export class CoverageSourcesDto {
  @ApiPropertyOptional(SOURCE)
  minLinePercent?: PolicySource;

  @ApiPropertyOptional(SOURCE)
  maxDrop?: PolicySource;
}

export class CoverageGateDto {
  @ApiProperty(PER_CENT)
  minLinePercent!: number | null;

  /** In percentage points, compared with the last shipped release. */
  @ApiProperty({ ...PER_CENT, example: 1 })
  maxDrop!: number | null;

  @ApiPropertyOptional({ type: CoverageSourcesDto })
  sources?: CoverageSourcesDto;
}

/** The sources of the limits; absent if the organization has no default. */
export class SeveritySourcesDto {
  @ApiPropertyOptional(SOURCE)
  maxCritical?: PolicySource;

  @ApiPropertyOptional(SOURCE)
  maxHigh?: PolicySource;

  @ApiPropertyOptional(SOURCE)
  maxMedium?: PolicySource;

  @ApiPropertyOptional(SOURCE)
  maxLow?: PolicySource;
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

  @ApiPropertyOptional({ type: SeveritySourcesDto })
  sources?: SeveritySourcesDto;
}

export class QualityGatesDto {
  @ApiProperty()
  coverage!: CoverageGateDto;

  @ApiProperty()
  sastScan!: SeverityLimitsDto;

  @ApiProperty()
  security!: SeverityLimitsDto;
}

export class PolicyFreezeDto extends SourcedRequirementDto {
  /** In UTC; both days are included. */
  @ApiProperty({ format: 'date', example: '2026-12-20' })
  from!: string;

  @ApiProperty({ format: 'date', example: '2027-01-02' })
  to!: string;

  @ApiProperty({ example: 'year end' })
  reason!: string;
}

/** The rules in force: those of `sdlc.yaml` and those of the organization's default, with every default filled in. */
export class PolicyRulesDto {
  @ApiProperty({ type: String, nullable: true, example: 'payments' })
  name!: string | null;

  @ApiProperty({ enum: RELEASE_NAMING_FORMATS })
  releaseNaming!: ReleaseNamingFormat;

  /** A release is a hotfix only if its branch matches all of them. */
  @ApiProperty({ type: [String], example: ['hotfix/**'] })
  hotfixBranchPatterns!: readonly string[];

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
