import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { STAGES, type Stage } from '../../../domain/facts/condition.js';
import { PageInfo } from '../../../http/pagination/pagination.dto.js';
import { ConditionDto, OverrideDto } from '../gate/gate.dto.js';

/** A decision about a release. */
export class DecisionDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ type: String, format: 'date-time' })
  at!: Date;

  /** Whether the decision opened the gate. */
  @ApiProperty()
  open!: boolean;

  @ApiProperty({ enum: STAGES })
  stage!: Stage;

  /** The candidate at that time; null if there was none. */
  @ApiProperty({ type: String, nullable: true })
  candidateSha!: string | null;

  /** SHA-256 over the policy in canonical form; null if no valid policy was known. */
  @ApiProperty({ type: String, nullable: true })
  policyDigest!: string | null;

  /** The conditions that kept the gate closed. */
  @ApiProperty({ type: [ConditionDto] })
  reasons!: readonly ConditionDto[];

  /** The overrides that the decision used. */
  @ApiProperty({ type: [OverrideDto] })
  overrides!: readonly OverrideDto[];
}

export class DecisionsDto {
  /** The decisions, newest first. */
  @ApiProperty({ type: [DecisionDto] })
  decisions!: readonly DecisionDto[];

  @ApiPropertyOptional()
  pagination?: PageInfo;
}

/** A decision with its verdict and inputs. */
export class DecisionDetailDto extends DecisionDto {
  @ApiProperty({ format: 'uuid' })
  milestoneId!: string;

  /** The version of the rules that made the decision: the first version of Shipgate that has them. */
  @ApiProperty({ example: '0.1.0' })
  rules!: string;

  /**
   * Whether the rules have changed since. Then only `shipgate verify-pack` of the version in `rules` derives the decision again,
   * from an audit pack of the release.
   */
  @ApiProperty()
  rulesChanged!: boolean;

  /** The complete stored verdict. */
  @ApiProperty({ type: 'object', additionalProperties: true, example: { stage: 'EVIDENCING' } })
  verdict!: object;

  /**
   * The inputs of the verdict: the release's record, its evidence, the observed facts, the overrides and freezes, and the time.
   */
  @ApiProperty({ type: 'object', additionalProperties: true, example: { now: '2026-05-04T10:00:00.000Z' } })
  inputs!: object;
}

/** The result of deriving a decision again. */
export class ReplayDto {
  /** The version of the rules that made the decision: the first version of Shipgate that has them. */
  @ApiProperty({ example: '0.1.0' })
  rules!: string;

  /**
   * Whether the rules derive the same verdict from the same inputs. Null if the rules have changed since the decision: then
   * `shipgate verify-pack` of the version in `rules` derives it again from an audit pack.
   */
  @ApiProperty({ type: Boolean, nullable: true })
  agrees!: boolean | null;

  /** The parts of the verdict that differ; `inputs` if no verdict can be derived from them any more. */
  @ApiProperty({ type: [String], example: [] })
  differences!: readonly string[];

  /** The verdict by the present rules; null if none can be derived, or if other rules made the decision. */
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true, example: { stage: 'EVIDENCING' } })
  verdict!: object | null;
}
