import { ApiProperty, ApiPropertyOptional, IntersectionType } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, IsUUID, Length, Matches } from 'class-validator';
import type { Condition } from '../../../domain/facts/condition.js';
import { toVisibleCondition } from '../../../domain/facts/condition.js';
import { DEPLOYMENT_RECORD_KINDS, type DeploymentRecordKind } from '../../../domain/history/deployment.js';
import {
  REPORTED_STATES,
  REPORTED_STATUSES,
  type ReportedState,
  type ReportedStatus,
} from '../../../domain/history/reported-deployment.js';
import { AMBIGUOUS_CAPITALS } from '../../../domain/policy/policy.js';
import { type FilterOf, PageInfo, PageQuery, type QueryMembers } from '../../../http/pagination/pagination.dto.js';
import { IsDateTime } from '../../../http/validation/field.decorators.js';
import { GateConditionDto } from '../../releases/gate/gate.dto.js';

const DEPLOYMENT = /^[^\p{Cc}\p{Cs}]{1,255}$/u;
/** Matches the name of an environment. */
export const ENVIRONMENT = new RegExp(`^[^\\p{Cc}\\p{Cs}${AMBIGUOUS_CAPITALS}]{1,255}$`, 'u');
export const ENVIRONMENT_RULE =
  'must have 1 to 255 characters, none of them a control character or a capital letter with an unusual lower case';
const REPOSITORY = /^([\w.-]{1,100}\/)?[\w.-]{1,100}$/;
/** GitHub and every CI system have shorter ones. Only http, because it is shown as a link. */
const RUN_URL = /^https?:\/\/[^\s\p{Cc}\p{Cs}]{1,1990}$/u;

/** What a CI system reports about a deployment. At least one of `commit_sha`, `version` and `digest` is required. */
export class ReportDeploymentDto {
  /** The repository, as `name` or `owner/name`. */
  @ApiProperty({ example: 'acme/payments', maxLength: 201 })
  @Matches(REPOSITORY, { message: 'repo must be a repository, as name or owner/name' })
  repo!: string;

  /** The environment, ignoring case. */
  @ApiProperty({ example: 'production', minLength: 1, maxLength: 255 })
  @Matches(ENVIRONMENT, { message: `environment ${ENVIRONMENT_RULE}` })
  environment!: string;

  /** Your own id of the deployment. All reports with this id in this environment are about one deployment. */
  @ApiProperty({ example: 'jenkins-payments-412', minLength: 1, maxLength: 255 })
  @Matches(DEPLOYMENT, { message: 'deployment must have 1 to 255 characters, none of them a control character' })
  deployment!: string;

  /** `started` before the deployment. Every other status ends it. */
  @ApiProperty({ enum: REPORTED_STATUSES })
  @IsIn(REPORTED_STATUSES)
  status!: ReportedStatus;

  /** The deployed commit. */
  @ApiPropertyOptional({ example: '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392' })
  @IsOptional()
  @Matches(/^[0-9a-f]{40}$/, { message: 'commit_sha must be a commit in 40 lower-case hexadecimal digits' })
  commit_sha?: string;

  /** The version of the release, exactly as in the title of its milestone. Its commit is the candidate. */
  @ApiPropertyOptional({ example: 'v1.4.0' })
  @IsOptional()
  @IsString()
  @Length(1, 100)
  version?: string;

  /** The digest of a deployed artifact. */
  @ApiPropertyOptional({ example: `sha256:${'9f86d081'.repeat(8)}` })
  @IsOptional()
  @Matches(/^sha256:[0-9a-f]{64}$/, { message: 'digest must be sha256: and 64 lower-case hexadecimal digits' })
  digest?: string;

  /** The page of the run that deploys. An identity token proves its run. */
  @ApiPropertyOptional({ format: 'uri', maxLength: 2000, example: 'https://jenkins.example/job/payments/412/' })
  @IsOptional()
  @Matches(RUN_URL, { message: 'run_url must be an http or https URL of at most 2000 characters' })
  run_url?: string;

  /** When it happened, with an offset from UTC. It is only shown. The time at which the report arrives counts. */
  @ApiPropertyOptional({ type: String, format: 'date-time', example: '2026-05-06T18:00:00Z' })
  @IsOptional()
  @IsDateTime('at')
  at?: string;
}

/** The gate of the environment for the reported commit. */
export class ReportedGateDto {
  /**
   * Whether the deployment may run. For `started`: the gate was open when the start was reported first, is open now, and the deployment has
   * not ended.
   */
  @ApiProperty()
  can_deploy!: boolean;

  /** All conditions that keep the gate closed. */
  @ApiProperty({ type: [GateConditionDto] })
  reasons!: readonly GateConditionDto[];
}

/** Converts a gate for the caller, who may not be allowed to read the messages. */
export const toReportedGate = (gate: {
  readonly canDeploy: boolean;
  readonly reasons: readonly Condition[];
  readonly withMessages: boolean;
}): ReportedGateDto => ({
  can_deploy: gate.canDeploy,
  reasons: gate.reasons.map((reason) => toVisibleCondition(reason, gate.withMessages)),
});

/** A stored report. */
export class DeploymentReceiptDto {
  /** The id of the deployment, the same for all of its reports. */
  @ApiProperty({ format: 'uuid' })
  deploymentId!: string;

  /**
   * The kind in the history, or for `started` the kind that it would have after a success now. Null for an environment other than the
   * target, if the deployment changes nothing or did not succeed, and while the history does not have it yet.
   */
  @ApiProperty({ enum: DEPLOYMENT_RECORD_KINDS, nullable: true })
  kind!: DeploymentRecordKind | null;

  /** The release of the commit; absent if there is none. */
  @ApiPropertyOptional({ format: 'uuid' })
  releaseId?: string;

  /** The decision by which the gate was answered when the deployment started; absent if there is none. */
  @ApiPropertyOptional({ format: 'uuid' })
  decisionId?: string;

  @ApiProperty()
  gate!: ReportedGateDto;
}

/** The filter of the reported deployments. */
export class ReportedDeploymentsFilterQuery {
  /** The repository, as `name` or `owner/name`, ignoring case. */
  @ApiPropertyOptional({ example: 'acme/payments', maxLength: 201 })
  @IsOptional()
  @Matches(REPOSITORY, { message: 'repo must be a repository, as name or owner/name' })
  repo?: string;

  /** The environment, ignoring case. */
  @ApiPropertyOptional({ example: 'production', minLength: 1, maxLength: 255 })
  @IsOptional()
  @Matches(ENVIRONMENT, { message: `environment ${ENVIRONMENT_RULE}` })
  environment?: string;

  /** The id of the release. */
  @ApiPropertyOptional({ format: 'uuid' })
  @IsOptional()
  @IsUUID()
  milestoneId?: string;
}

/** The filter of the reported deployments, with a page. */
export class ReportedDeploymentsQuery extends IntersectionType(ReportedDeploymentsFilterQuery, PageQuery) {}

export type ReportedDeploymentsFilter = FilterOf<ReportedDeploymentsFilterQuery>;

/** Converts the query to a filter; absent members become null. */
export const toReportedDeploymentsFilter = (
  query: QueryMembers<ReportedDeploymentsFilterQuery>,
): ReportedDeploymentsFilter => ({
  repo: query.repo ?? null,
  environment: query.environment ?? null,
  milestoneId: query.milestoneId ?? null,
});

/** Who reported: a CI run with its identity token, or an API key. */
export const REPORTERS = ['run', 'api_key'] as const;

/** A deployment that a CI system reported, to any environment. */
export class ReportedDeploymentDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ example: 'acme' })
  org!: string;

  @ApiProperty({ format: 'uuid' })
  repoId!: string;

  /** The name of the repository without its owner. */
  @ApiProperty({ example: 'payments' })
  repo!: string;

  @ApiProperty({ example: 'production' })
  environment!: string;

  /** The id that the CI system chose. */
  @ApiProperty({ example: 'jenkins-payments-412' })
  deployment!: string;

  /** `unknown`: no end was reported within 24 hours, or ten later deployments to the environment have started. */
  @ApiProperty({ enum: REPORTED_STATES })
  status!: ReportedState;

  @ApiProperty({ example: '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392' })
  commitSha!: string;

  @ApiProperty({
    format: 'uri',
    example: 'https://github.com/acme/payments/commit/4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392',
  })
  commitUrl!: string;

  /** The id of the release; null if the commit was no release's candidate. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  milestoneId!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'v1.4.0' })
  version!: string | null;

  /** When the start arrived; null if only the end was reported. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  startedAt!: Date | null;

  /** When the end arrived; null if none was reported. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  endedAt!: Date | null;

  /** The time that the last report stated. The service uses only the times of arrival. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  statedAt!: Date | null;

  /** Whether the gate of the environment was open when it started; null if no start was reported. */
  @ApiProperty({ type: Boolean, nullable: true })
  canDeploy!: boolean | null;

  /** The decision by which the gate was answered when it started; null if there is none. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  decisionId!: string | null;

  /** The kind in the history; null if the history has no record of it. */
  @ApiProperty({ enum: DEPLOYMENT_RECORD_KINDS, nullable: true })
  kind!: DeploymentRecordKind | null;

  /** Who sent the first report. */
  @ApiProperty({ enum: REPORTERS })
  reportedBy!: (typeof REPORTERS)[number];

  /** The name of the API key; null for a run. */
  @ApiProperty({ type: String, nullable: true, example: 'Jenkins' })
  keyName!: string | null;

  /** The page of the run; null if no report names it. */
  @ApiProperty({ type: String, format: 'uri', nullable: true })
  runUrl!: string | null;
}

/** A page of the reported deployments. */
export class ReportedDeploymentsDto {
  /** The deployments, latest first. */
  @ApiProperty({ type: [ReportedDeploymentDto] })
  deployments!: readonly ReportedDeploymentDto[];

  @ApiProperty()
  pagination!: PageInfo;
}
