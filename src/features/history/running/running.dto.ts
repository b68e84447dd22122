import { ApiProperty, ApiPropertyOptional, IntersectionType, PickType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsIn,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Matches,
  ValidateNested,
} from 'class-validator';
import { ARTIFACT_DIGEST, ARTIFACT_NAME } from '../../../domain/artifact/artifact.js';
import { type FilterOf, PageInfo, PageQuery, type QueryMembers } from '../../../http/pagination/pagination.dto.js';
import {
  ENVIRONMENT,
  ENVIRONMENT_RULE,
  ReportDeploymentDto,
  ReportedDeploymentsFilterQuery,
} from '../reports/deployment-report.dto.js';

const MAX_ARTIFACTS = 500;

/** The environment in the path of a route. */
export class EnvironmentParams {
  /** The environment, ignoring case. */
  @ApiProperty({ example: 'production', minLength: 1, maxLength: 255 })
  @Matches(ENVIRONMENT, { message: `name ${ENVIRONMENT_RULE}` })
  name!: string;
}

/** A running artifact, as CI states it. */
export class StatedArtifactDto {
  /** The name by which the policy requires it. */
  @ApiProperty({ example: 'api', minLength: 1, maxLength: 255 })
  @IsString()
  @Length(1, 255)
  @Matches(ARTIFACT_NAME, { message: 'name must be one line of text without spaces around it' })
  name!: string;

  /** The digest of its bytes: `sha256:` and 64 lower-case hexadecimal digits. */
  @ApiProperty({ example: `sha256:${'4f1c2d9e'.repeat(8)}`, maxLength: 71 })
  @Matches(ARTIFACT_DIGEST, { message: 'digest must be sha256: and 64 lower-case hexadecimal digits' })
  digest!: string;
}

/** Everything of the repository that runs in the environment now. */
export class StateRunningDto extends PickType(ReportDeploymentDto, ['repo', 'at']) {
  /** All running artifacts. Those of the statement before that are not in it do not run any more. Empty if nothing runs. */
  @ApiProperty({ type: [StatedArtifactDto], maxItems: MAX_ARTIFACTS })
  @IsArray()
  @ArrayMaxSize(MAX_ARTIFACTS)
  @IsObject({ each: true })
  @ValidateNested({ each: true })
  @Type(() => StatedArtifactDto)
  artifacts!: StatedArtifactDto[];
}

/** The repository whose artifacts are listed. */
export class RunningInEnvironmentQuery extends PickType(ReportDeploymentDto, ['repo']) {}

/** An artifact that runs in an environment. */
export class RunningArtifactDto {
  @ApiProperty({ example: 'api' })
  name!: string;

  @ApiProperty({ example: `sha256:${'4f1c2d9e'.repeat(8)}` })
  digest!: string;

  /**
   * Whether it may run: the digest belongs to a shipped release, or a governed deployment of its release to the environment is open. False
   * also while the policy is not valid or was not read yet. Null if the policy does not require an artifact of this name.
   */
  @ApiProperty({ type: Boolean, nullable: true })
  governed!: boolean | null;

  /** When it was stated first, since it was gone last. */
  @ApiProperty({ type: String, format: 'date-time' })
  firstSeen!: Date;

  /** When it was stated last. */
  @ApiProperty({ type: String, format: 'date-time' })
  lastSeen!: Date;
}

/** The artifacts that run in one environment. */
export class RunningInEnvironmentDto {
  /** The artifacts of the last statement, those that may not run first. */
  @ApiProperty({ type: [RunningArtifactDto] })
  artifacts!: readonly RunningArtifactDto[];
}

/** The filter of the running artifacts. */
export class RunningFilterQuery extends PickType(ReportedDeploymentsFilterQuery, ['repo', 'environment']) {
  /** `false`: only artifacts that may not run. `true`: only those that may. */
  @ApiPropertyOptional({ enum: ['true', 'false'] })
  @IsOptional()
  @IsIn(['true', 'false'], { message: 'governed must be true, false' })
  governed?: 'true' | 'false';
}

/** The filter of the running artifacts, with a page. */
export class RunningQuery extends IntersectionType(RunningFilterQuery, PageQuery) {}

export type RunningFilter = Omit<FilterOf<RunningFilterQuery>, 'governed'> & { readonly governed: boolean | null };

/** Converts the query to a filter; absent members become null. */
export const toRunningFilter = ({ repo, environment, governed }: QueryMembers<RunningFilterQuery>): RunningFilter => ({
  repo: repo ?? null,
  environment: environment ?? null,
  governed: governed === undefined ? null : governed === 'true',
});

/** A running artifact with its repository and environment. */
export class LocatedRunningArtifactDto extends RunningArtifactDto {
  @ApiProperty({ example: 'acme' })
  org!: string;

  @ApiProperty({ format: 'uuid' })
  repoId!: string;

  /** The name of the repository without its owner. */
  @ApiProperty({ example: 'payments' })
  repo!: string;

  @ApiProperty({ example: 'production' })
  environment!: string;

  /** The time that the last statement gave. It is only shown. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  statedAt!: Date | null;
}

/** A page of the running artifacts. */
export class RunningDto {
  /** The artifacts by repository and environment, those that may not run first. */
  @ApiProperty({ type: [LocatedRunningArtifactDto] })
  artifacts!: readonly LocatedRunningArtifactDto[];

  @ApiProperty()
  pagination!: PageInfo;
}
