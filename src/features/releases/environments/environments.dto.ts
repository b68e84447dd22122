import { ApiProperty } from '@nestjs/swagger';
import {
  DEPLOYMENT_RECORD_KINDS,
  DEPLOYMENT_SOURCES,
  type DeploymentRecordKind,
  type DeploymentSource,
} from '../../../domain/history/deployment.js';
import { PageInfo, PageQuery } from '../../../http/pagination/pagination.dto.js';
import { IsSearchTerm } from '../../../http/validation/field.decorators.js';
import { KNOWN_DEPLOYMENT_STATES, type KnownDeploymentState } from './deployments.sql.js';

/** The stage whose environment it is. The one of `deployment` is the target of the policy. */
const ENVIRONMENT_ROLES = ['development', 'testing', 'deployment'] as const;
export type EnvironmentRoleName = (typeof ENVIRONMENT_ROLES)[number];

/** An environment that the policy names, and its latest successful deployment that is known. */
export class EnvironmentDto {
  @ApiProperty({ example: 'staging' })
  name!: string;

  @ApiProperty({ enum: ENVIRONMENT_ROLES })
  role!: EnvironmentRoleName;

  /** The deployed commit; null if no deployment is known, and if the latest one has ended. */
  @ApiProperty({ type: String, nullable: true, example: '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392' })
  commitSha!: string | null;

  @ApiProperty({
    type: String,
    format: 'uri',
    nullable: true,
    example: 'https://github.com/acme/payments/commit/4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392',
  })
  commitUrl!: string | null;

  /** The id of the release of the commit; null if there is none. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  milestoneId!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'v1.4.0' })
  version!: string | null;

  /** When the deployment succeeded: by the clock of GitHub, or when its report arrived. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  since!: Date | null;

  @ApiProperty({ enum: DEPLOYMENT_SOURCES, nullable: true, type: String })
  source!: DeploymentSource | null;

  /** The page of the run; null if it is not known. */
  @ApiProperty({ type: String, format: 'uri', nullable: true })
  runUrl!: string | null;

  /** The kind of the last deployment of the commit in the history; null if the history has none. */
  @ApiProperty({ enum: DEPLOYMENT_RECORD_KINDS, nullable: true, type: String })
  kind!: DeploymentRecordKind | null;
}

/** The place of the candidate in an environment. */
const CANDIDATE_STATES = ['not_deployed', 'deploying', 'failed', 'deployed', 'soaking', 'soaked', 'unknown'] as const;
export type CandidateState = (typeof CANDIDATE_STATES)[number];

/** An environment, and the place of the candidate of a release in it. */
export class ReleaseEnvironmentDto extends EnvironmentDto {
  /** Whether the deployed commit is the candidate or an equivalent commit. */
  @ApiProperty()
  isCandidate!: boolean;

  /**
   * `soaked` stays after other deployments. `deploying` and `failed` are about the newest deployment. `unknown`: the stored facts
   * do not tell it.
   */
  @ApiProperty({ enum: CANDIDATE_STATES })
  state!: CandidateState;

  /** How long the candidate must stay there, in seconds; null without a soak, and for a shipped release. */
  @ApiProperty({ type: 'integer', minimum: 0, nullable: true, example: 3_600 })
  soakSeconds!: number | null;

  /** When the soak ends if nothing else is deployed; null unless the state is `soaking`. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  soakEndsAt!: Date | null;
}

/** A deployment of a commit of a release. */
export class ReleaseDeploymentDto {
  /** Identifies it in this list. */
  @ApiProperty({ example: 'github:1234567' })
  id!: string;

  @ApiProperty({ example: 'production' })
  environment!: string;

  @ApiProperty({ example: '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392' })
  commitSha!: string;

  @ApiProperty({
    format: 'uri',
    example: 'https://github.com/acme/payments/commit/4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392',
  })
  commitUrl!: string;

  /** `inactive`: it succeeded, and GitHub ended it. `unknown`: no end is known after 24 hours. */
  @ApiProperty({ enum: KNOWN_DEPLOYMENT_STATES })
  status!: KnownDeploymentState;

  /** When it began; for a deployment of which only the end was reported, when that report arrived. */
  @ApiProperty({ type: String, format: 'date-time' })
  startedAt!: Date;

  /** When it succeeded first; null if it never did. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  succeededAt!: Date | null;

  @ApiProperty({ enum: DEPLOYMENT_SOURCES })
  source!: DeploymentSource;

  /** The name of the API key that reported it; null for every other source. */
  @ApiProperty({ type: String, nullable: true, example: 'Jenkins' })
  keyName!: string | null;

  /** The page of the run; null if it is not known. */
  @ApiProperty({ type: String, format: 'uri', nullable: true })
  runUrl!: string | null;

  /** Whether the gate was open when the start was reported; null if no start was reported. */
  @ApiProperty({ type: Boolean, nullable: true })
  canDeploy!: boolean | null;

  /** The kind in the history; null if the history has no record of it. */
  @ApiProperty({ enum: DEPLOYMENT_RECORD_KINDS, nullable: true, type: String })
  kind!: DeploymentRecordKind | null;
}

/** A page of the deployments of a release. */
export class ReleaseDeploymentsDto {
  /** The deployments, latest first. */
  @ApiProperty({ type: [ReleaseDeploymentDto] })
  deployments!: readonly ReleaseDeploymentDto[];

  @ApiProperty()
  pagination!: PageInfo;
}

/** A repository with the environments that its policy names. */
export class RepositoryEnvironmentsDto {
  @ApiProperty({ format: 'uuid' })
  repoId!: string;

  @ApiProperty({ example: 'acme' })
  org!: string;

  /** The name of the repository without its owner. */
  @ApiProperty({ example: 'payments' })
  repo!: string;

  /** In the order of their stages. */
  @ApiProperty({ type: [EnvironmentDto] })
  environments!: readonly EnvironmentDto[];
}

/** A page of the repositories with their environments. */
export class EnvironmentListDto {
  /** The repositories with a valid policy, by name. */
  @ApiProperty({ type: [RepositoryEnvironmentsDto] })
  repositories!: readonly RepositoryEnvironmentsDto[];

  @ApiProperty()
  pagination!: PageInfo;
}

export class EnvironmentListQuery extends PageQuery {
  @IsSearchTerm('A part of the name of a repository.')
  search?: string;
}
