import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsIn, IsInt, IsString, Matches, Max, Min, ValidateIf } from 'class-validator';
import { SCOPE_ACTIONS, type ScopeAction } from '../../../domain/release/scope-change.js';

/** GitHub's logins; those of managed users have an underscore, those of apps end with `[bot]`. */
const LOGIN = /^[a-z\d][a-z\d_-]{0,99}(?:\[bot\])?$/i;
const MOST_ISSUES = 2 ** 31 - 1;

/** What is to be changed about one issue. */
export class ScopeChangeRequest {
  /**
   * `link` gives an open issue without a milestone that of the release, `unlink` takes it away; `assign` adds an owner to an
   * issue of the release, `unassign` removes that owner alone.
   */
  @ApiProperty({ enum: SCOPE_ACTIONS, example: 'link' })
  @IsIn(SCOPE_ACTIONS)
  action!: ScopeAction;

  /** The number of the issue in its repository. */
  @ApiProperty({ type: 'integer', minimum: 1, maximum: MOST_ISSUES, example: 42 })
  @IsInt()
  @Min(1)
  @Max(MOST_ISSUES)
  number!: number;

  /** The login of the owner: with `assign` and `unassign`, and with no other action. */
  @ApiPropertyOptional({ maxLength: 105, pattern: '^[A-Za-z\\d][\\w-]{0,99}(?:\\[bot\\])?$', example: 'grace' })
  @ValidateIf(({ assignee }: ScopeChangeRequest) => assignee !== undefined)
  @IsString()
  @Matches(LOGIN, { message: 'assignee must be a login of GitHub, without an @' })
  assignee?: string;
}

@ApiSchema({ name: 'ScopeChange' })
export class ScopeChangeDto {
  /** GitHub has the change, or had it already. */
  @ApiProperty({ example: true })
  saved!: boolean;

  /** Whether the release was thought over with it; where not yet, that is under way. */
  @ApiProperty({ example: true })
  synced!: boolean;
}
