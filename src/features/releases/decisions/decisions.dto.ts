import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { STAGES, type Stage } from '../../../domain/release/stage.js';
import { PageInfo } from '../../../http/pagination/pagination.dto.js';
import { ConditionDto, OverrideDto } from '../gate/gate.dto.js';

/** What was decided of a release at a moment. */
@ApiSchema({ name: 'Decision' })
export class DecisionDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ type: String, format: 'date-time' })
  at!: Date;

  /** Whether the gate stood open by it. */
  @ApiProperty()
  open!: boolean;

  @ApiProperty({ enum: STAGES })
  stage!: Stage;

  /** The commit that would have shipped. */
  @ApiProperty({ type: String, nullable: true })
  candidateSha!: string | null;

  /** SHA-256 over the policy in canonical form; null where no valid one was known. */
  @ApiProperty({ type: String, nullable: true })
  policyDigest!: string | null;

  /** Why the gate was closed. */
  @ApiProperty({ type: [ConditionDto] })
  reasons!: readonly ConditionDto[];

  /** What people had set aside. */
  @ApiProperty({ type: [OverrideDto] })
  overrides!: readonly OverrideDto[];
}

@ApiSchema({ name: 'Decisions' })
export class DecisionsDto {
  /** The newest first. */
  @ApiProperty({ type: [DecisionDto] })
  decisions!: readonly DecisionDto[];

  @ApiPropertyOptional()
  pagination?: PageInfo;
}

/** A decision with all that it rests on. */
@ApiSchema({ name: 'DecisionDetail' })
export class DecisionDetailDto extends DecisionDto {
  @ApiProperty({ format: 'uuid' })
  milestoneId!: string;

  /** The verdict whole, as it was kept. */
  @ApiProperty({ type: 'object', additionalProperties: true, example: { stage: 'EVIDENCING' } })
  verdict!: object;

  /** What it was derived from: the release's record, its evidence, what was observed, what admins decided, and when. */
  @ApiProperty({ type: 'object', additionalProperties: true, example: { now: '2026-05-04T10:00:00.000Z' } })
  inputs!: object;
}

/** A decision that was derived again. */
@ApiSchema({ name: 'Replay' })
export class ReplayDto {
  /** Whether the same verdict follows from the same inputs by the rules of today. */
  @ApiProperty()
  agrees!: boolean;

  /** The parts of the verdict that are others today; `inputs` where nothing follows any more. */
  @ApiProperty({ type: [String], example: [] })
  differences!: readonly string[];

  /** What follows today; null where nothing does. */
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true, example: { stage: 'EVIDENCING' } })
  verdict!: object | null;
}
