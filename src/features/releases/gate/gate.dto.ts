import { ApiProperty, ApiPropertyOptional, ApiSchema, PartialType, PickType } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Length, Matches } from 'class-validator';
import { type Stage, STAGES } from '../../../domain/release/stage.js';

/** Which release the gate is asked about. */
export class GateQuery {
  /** The release's version, exactly as its milestone is called. */
  @ApiProperty({ example: 'v1.4.0' })
  @IsString()
  @Length(1, 100)
  version!: string;

  /** The repository, as `name` or `owner/name`. */
  @ApiProperty({ example: 'acme/payments' })
  @Matches(/^([\w.-]{1,100}\/)?[\w.-]{1,100}$/, { message: 'repo must be a repository, as name or owner/name' })
  repo!: string;

  /** Asks about one commit: `can_deploy` is false unless it is the candidate. */
  @ApiPropertyOptional({ example: '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392' })
  @IsOptional()
  @Matches(/^[0-9a-f]{40}$/, { message: 'sha must be a commit in 40 lower-case hexadecimal digits' })
  sha?: string;

  /** `true` adds the candidate, the decision and every unmet condition to the answer. */
  @ApiPropertyOptional({ enum: ['true', 'false'] })
  @IsOptional()
  @IsIn(['true', 'false'])
  explain?: string;
}

/** Something that still has to happen before the release may go on. */
@ApiSchema({ name: 'Condition' })
export class ConditionDto {
  /** Stable, for machines. */
  @ApiProperty({ example: 'approvals_missing' })
  code!: string;

  /** A sentence for people. */
  @ApiProperty({ example: '1 of 2 approvals given by members of "release-managers".' })
  detail!: string;

  /** Who can clear it. */
  @ApiProperty({ enum: ['team', 'ci', 'reviewer', 'deployer', 'admin', 'service'] })
  actor!: string;

  /** Where it can be cleared. */
  @ApiPropertyOptional({ format: 'uri' })
  url?: string;
}

/** What two admins agreed to set aside, and what of it the answer rests on. */
@ApiSchema({ name: 'Override' })
export class OverrideDto {
  @ApiProperty({ enum: ['waiver', 'break_glass'] })
  kind!: string;

  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ example: 'verified by hand' })
  reason!: string;

  @ApiProperty({ type: String, format: 'date-time' })
  expiresAt!: Date;

  /** What would keep the release back without it. */
  @ApiProperty({ type: [ConditionDto] })
  conditions!: readonly ConditionDto[];
}

/**
 * Something that keeps the gate closed. Of a private repository, `detail` and `url` are only for a run of that repository and for an API
 * key that lists it.
 */
@ApiSchema({ name: 'GateCondition' })
export class GateConditionDto extends PartialType(PickType(ConditionDto, ['detail', 'url'])) {
  /** Stable, for machines. */
  @ApiProperty({ example: 'approvals_missing' })
  code!: string;

  /** Who can clear it. */
  @ApiProperty({ enum: ['team', 'ci', 'reviewer', 'deployer', 'admin', 'service'] })
  actor!: string;
}

/** The conditions that two admins agreed to set aside. Of a private repository, `reason` is only for those who are told `detail` as well. */
@ApiSchema({ name: 'GateOverride' })
export class GateOverrideDto extends PartialType(PickType(OverrideDto, ['reason'])) {
  @ApiProperty({ enum: ['waiver', 'break_glass'] })
  kind!: string;

  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ type: String, format: 'date-time' })
  expiresAt!: Date;

  /** What would keep the release back without it. */
  @ApiProperty({ type: [GateConditionDto] })
  conditions!: readonly GateConditionDto[];
}

/** The deploy gate's answer. */
export class GateResult {
  @ApiProperty({ example: 'v1.4.0' })
  version!: string;

  @ApiProperty({ enum: STAGES })
  current_stage!: Stage;

  @ApiProperty()
  evidence_pr_approved!: boolean;

  @ApiProperty()
  tests_passing!: boolean;

  /** True only while every condition is positively known to hold. */
  @ApiProperty()
  can_deploy!: boolean;

  /** The commit that would ship; only with `explain=true`. */
  @ApiPropertyOptional({ type: String, nullable: true })
  candidate_sha?: string | null;

  /** The stored decision that this answer rests on; only with `explain=true`. */
  @ApiPropertyOptional({ type: String, nullable: true, format: 'uuid' })
  decision_id?: string | null;

  /** Why the gate is closed, everything at once; only with `explain=true`. */
  @ApiPropertyOptional({ type: [GateConditionDto] })
  reasons?: readonly GateConditionDto[];

  /** What people set aside, and by what; only with `explain=true`. */
  @ApiPropertyOptional({ type: [GateOverrideDto] })
  overrides?: readonly GateOverrideDto[];
}

const VERSION = /^[\w.+-]{1,100}$/;
const REPOSITORY = /^(?:[\w.-]{1,100}\/)?[\w.-]{1,100}$/;

/** Whether a query is the ordinary question: a plain version and a repository, and nothing else. */
export function isPlainGateQuery(query: Readonly<Record<string, unknown>>): boolean {
  const { version, repo, ...rest } = query;
  for (const _ in rest) return false;
  return typeof version === 'string' && typeof repo === 'string' && VERSION.test(version) && REPOSITORY.test(repo);
}
