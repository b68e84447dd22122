import { ApiProperty, ApiPropertyOptional, PartialType, PickType } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Length, Matches, ValidateIf } from 'class-validator';
import { ARTIFACT_DIGEST } from '../../../domain/artifact/artifact.js';
import { type Actor, ACTORS, type Stage, STAGES, type Subject } from '../../../domain/facts/condition.js';
import { CONDITION_CODES } from '../../../domain/facts/condition-catalogue.js';
import { POLICY_SOURCES, type PolicySource, toSourced } from '../../../domain/policy/policy.js';
import type { AppliedOverride } from '../../../domain/override/override.js';
import type { Stored } from '../../../domain/release/replay.js';

/** Counts code points. A control character or half of a surrogate pair is in no name of a branch. */
const REF = /^[^\p{Cc}\p{Cs}]{1,255}$/u;

/** The release whose gate is checked. */
export class GateQuery {
  /** The version of the release, exactly as in the title of its milestone. Required without `digest`. */
  @ApiPropertyOptional({ example: 'v1.4.0' })
  @ValidateIf(({ version, digest }: GateQuery) => version !== undefined || digest === undefined)
  @IsString()
  @Length(1, 100)
  version?: string;

  /** The repository, as `name` or `owner/name`. */
  @ApiProperty({ example: 'acme/payments' })
  @Matches(/^([\w.-]{1,100}\/)?[\w.-]{1,100}$/, { message: 'repo must be a repository, as name or owner/name' })
  repo!: string;

  /** Checks one commit: `can_deploy` is false unless it is the candidate. */
  @ApiPropertyOptional({ example: '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392' })
  @IsOptional()
  @Matches(/^[0-9a-f]{40}$/, { message: 'sha must be a commit in 40 lower-case hexadecimal digits' })
  sha?: string;

  /**
   * Checks one artifact: `can_deploy` is false unless the policy accepts it for the candidate. Without `version` it leads to the release that
   * has it and has not shipped, else to the one that shipped last.
   */
  @ApiPropertyOptional({ example: `sha256:${'4f1c2d9e'.repeat(8)}`, maxLength: 71 })
  @IsOptional()
  @Matches(ARTIFACT_DIGEST, { message: 'digest must be sha256: and 64 lower-case hexadecimal digits' })
  digest?: string;

  /**
   * The environment of the deployment, ignoring case. Without it, the target of the policy. For an environment before the target,
   * `can_deploy` is true if the stage that names it is reached, whatever that stage and later ones still need.
   */
  @ApiPropertyOptional({ example: 'staging', minLength: 1, maxLength: 255 })
  @IsOptional()
  @Matches(REF, { message: 'environment must have 1 to 255 characters, none of them a control character' })
  environment?: string;

  /** `true` adds the candidate, the decision and every unmet condition to the response. */
  @ApiPropertyOptional({ enum: ['true', 'false'] })
  @IsOptional()
  @IsIn(['true', 'false'])
  explain?: string;
}

/** One thing that a condition is about. */
export class SubjectDto {
  /** Identifies it in every evaluation. Two subjects may have the same label. */
  @ApiProperty({ example: '["test","ci","unit_tests","staging","9f86d081884c7d659a2feaa0c55ad015"]' })
  id!: string;

  /** Its name for users. */
  @ApiProperty({ example: 'the test "Checkout › rejects an expired card" in "unit_tests" of "ci" (staging)' })
  label!: string;

  /** The number of equal things, such as findings of one rule in one file. */
  @ApiProperty({ type: 'integer', minimum: 1 })
  count!: number;
}

export const toSubjectDto = ({ id, label, count = 1 }: Subject): SubjectDto => ({ id, label, count });

/** A requirement that is not met. */
export class ConditionDto {
  /** A stable code for programs. */
  @ApiProperty({ enum: CONDITION_CODES, example: 'approvals_missing' })
  code!: string;

  /** A sentence for users. */
  @ApiProperty({ example: '1 of 2 approvals given by members of "release-managers".' })
  detail!: string;

  /** The user or role that can meet it. */
  @ApiProperty({ enum: ACTORS })
  actor!: Actor;

  /** The page where it can be met. */
  @ApiPropertyOptional({ format: 'uri' })
  url?: string;

  /** The document that states the requirement; absent without a default of the organization. */
  @ApiPropertyOptional({ enum: POLICY_SOURCES })
  source?: PolicySource;

  /** When a soak ends. Only an evaluation at that time or later clears the condition. */
  @ApiPropertyOptional({ format: 'date-time' })
  endsAt?: string;
}

/** A waiver or break-glass request in effect, with the conditions that it covers. */
export class OverrideDto {
  @ApiProperty({ enum: ['waiver', 'break_glass'] })
  kind!: 'waiver' | 'break_glass';

  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ example: 'verified by hand' })
  reason!: string;

  @ApiProperty({ type: String, format: 'date-time' })
  expiresAt!: Date;

  /** The conditions that would block the release without it. */
  @ApiProperty({ type: [ConditionDto] })
  conditions!: readonly ConditionDto[];
}

/** Converts an override of a verdict, also of a stored one. */
export const toOverrideDto = ({
  kind,
  id,
  reason,
  expiresAt,
  conditions,
}: AppliedOverride | Stored<AppliedOverride>): OverrideDto => ({
  kind,
  id,
  reason,
  expiresAt: new Date(expiresAt),
  conditions: conditions.map(({ code, detail, actor, url, source, endsAt }) => ({
    code,
    detail,
    actor,
    ...(url !== undefined && { url }),
    ...toSourced({ source }),
    ...(endsAt !== undefined && { endsAt }),
  })),
});

/**
 * A condition that keeps the gate closed. For a private repository, only a run of that repository and an API key that lists it
 * receive `detail`, `url`, `source` and `endsAt`.
 */
export class GateConditionDto extends PartialType(PickType(ConditionDto, ['detail', 'url', 'source', 'endsAt'])) {
  /** A stable code for programs. */
  @ApiProperty({ enum: CONDITION_CODES, example: 'approvals_missing' })
  code!: string;

  /** The user or role that can meet it. */
  @ApiProperty({ enum: ACTORS })
  actor!: Actor;
}

/** An override in effect. For a private repository, only callers that receive `detail` also receive `reason`. */
export class GateOverrideDto extends PartialType(PickType(OverrideDto, ['reason'])) {
  @ApiProperty({ enum: ['waiver', 'break_glass'] })
  kind!: string;

  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ type: String, format: 'date-time' })
  expiresAt!: Date;

  /** The conditions that would block the release without it. */
  @ApiProperty({ type: [GateConditionDto] })
  conditions!: readonly GateConditionDto[];
}

/** The response of the deploy gate. */
export class GateResult {
  @ApiProperty({ example: 'v1.4.0' })
  version!: string;

  @ApiProperty({ enum: STAGES })
  current_stage!: Stage;

  @ApiProperty()
  evidence_pr_approved!: boolean;

  @ApiProperty()
  tests_passing!: boolean;

  /** True only if every condition is proven to hold now. */
  @ApiProperty()
  can_deploy!: boolean;

  /** The commit that would ship, null if there is none; only with `explain=true`. */
  @ApiPropertyOptional({ type: String, nullable: true })
  candidate_sha?: string | null;

  /** The id of the stored decision behind the response; only with `explain=true`. */
  @ApiPropertyOptional({ type: String, nullable: true, format: 'uuid' })
  decision_id?: string | null;

  /**
   * The time until which the answer stands, at most 20 minutes from now; null if the gate is closed. A change that closes the gate
   * earlier does so at once; only with `explain=true`.
   */
  @ApiPropertyOptional({ type: String, nullable: true, format: 'date-time' })
  open_until?: Date | null;

  /** The id of the release; only with `explain=true`. */
  @ApiPropertyOptional({ format: 'uuid' })
  release_id?: string;

  /** The page of the release, null if its repository was removed meanwhile; only with `explain=true`. */
  @ApiPropertyOptional({
    type: String,
    nullable: true,
    format: 'uri',
    example: 'https://shipgate.example/w/acme/releases/6f0d1c9a-2b3c-4d5e-8f90-a1b2c3d4e5f6',
  })
  release_url?: string | null;

  /** All conditions that keep the gate closed; only with `explain=true`. */
  @ApiPropertyOptional({ type: [GateConditionDto] })
  reasons?: readonly GateConditionDto[];

  /** The overrides in effect; only with `explain=true`. */
  @ApiPropertyOptional({ type: [GateOverrideDto] })
  overrides?: readonly GateOverrideDto[];
}

/** A CI run whose release is requested. */
export class ReleaseResolutionQuery extends PickType(GateQuery, ['repo']) {
  /** The branch or tag that the run builds, as `refs/heads/…`, `refs/tags/…`, or its name alone. */
  @ApiProperty({ example: 'refs/heads/main', minLength: 1, maxLength: 255 })
  @Matches(REF, { message: 'ref must have 1 to 255 characters, none of them a control character' })
  ref!: string;

  /** The commit that the run builds. It selects one of several open releases if it is the candidate of only that one. */
  @ApiPropertyOptional({ example: '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392' })
  @IsOptional()
  @Matches(/^[0-9a-f]{40}$/, { message: 'sha must be a commit in 40 lower-case hexadecimal digits' })
  sha?: string;
}

/** The release that a CI run builds. */
export class ReleaseResolutionDto {
  /** Null if the run builds no release, or if it is not clear which one. */
  @ApiProperty({ type: String, nullable: true, example: 'v1.4.0' })
  version!: string | null;

  /** The reason, as a sentence for users. */
  @ApiProperty({ example: '"refs/heads/main" is the development branch, and one open release is built from it.' })
  because!: string;

  /** The versions that the run may build, newest first; only if `version` is null. Empty if it builds no release. */
  @ApiPropertyOptional({ type: [String], maxItems: 50, example: ['v1.5.0', 'v1.4.0'] })
  candidates?: readonly string[];
}

const VERSION = /^[\w.+-]{1,100}$/;
const REPOSITORY = /^(?:[\w.-]{1,100}\/)?[\w.-]{1,100}$/;

/** Whether a query has only a repository and a plain version, a digest or both, so that it needs no further validation. */
export function isPlainGateQuery(query: Readonly<Record<string, unknown>>): boolean {
  const { version, repo, digest, ...rest } = query;
  for (const _ in rest) return false;
  if (version === undefined && digest === undefined) return false;
  return (
    isText(repo, REPOSITORY) &&
    (version === undefined || isText(version, VERSION)) &&
    (digest === undefined || isText(digest, ARTIFACT_DIGEST))
  );
}

const isText = (value: unknown, form: RegExp): boolean => typeof value === 'string' && form.test(value);
