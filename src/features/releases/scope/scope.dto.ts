import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsString, Matches, Max, Min, ValidateIf } from 'class-validator';
import { SCOPE_ACTIONS, type ScopeAction } from '../../../domain/release/scope-change.js';
import { IsSearchTerm } from '../../../http/validation/field.decorators.js';

/** Logins of GitHub. Those of managed users contain an underscore; those of apps end with `[bot]`. */
const LOGIN = /^[a-z\d][a-z\d_-]{0,99}(?:\[bot\])?$/i;
const MOST_ISSUES = 2 ** 31 - 1;

/** A change of one issue. */
export class ScopeChangeRequest {
  /**
   * `link` adds an open issue without a milestone to the release, `unlink` removes it. `assign` adds an owner to an issue of the
   * release, `unassign` removes that owner.
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

  /** The login of the owner. Required for `assign` and `unassign`, not allowed for other actions. */
  @ApiPropertyOptional({ maxLength: 105, pattern: '^[A-Za-z\\d][\\w-]{0,99}(?:\\[bot\\])?$', example: 'grace' })
  @ValidateIf(({ assignee }: ScopeChangeRequest) => assignee !== undefined)
  @IsString()
  @Matches(LOGIN, { message: 'assignee must be a login of GitHub, without an @' })
  assignee?: string;
}

export class ScopeChangeResultDto {
  /** Whether GitHub has the change. */
  @ApiProperty({ example: true })
  saved!: boolean;

  /** Whether the release was evaluated with the change; if not, the evaluation is queued. */
  @ApiProperty({ example: true })
  synced!: boolean;
}

/** A filter of the issues that can be linked. */
export class ScopeCandidatesQuery {
  @IsSearchTerm('The beginning of the number, with or without `#`, or a part of the title.')
  search?: string;
}

/** An open issue without a milestone. */
export class ScopeCandidateDto {
  /** The number of the issue in its repository. */
  @ApiProperty({ type: 'integer', minimum: 1, example: 42 })
  number!: number;

  @ApiProperty({ example: 'Pay by card' })
  title!: string;

  @ApiProperty({ type: [String], example: ['enhancement'] })
  labels!: readonly string[];

  /** The page of the issue on GitHub. */
  @ApiProperty({ format: 'uri', example: 'https://github.com/acme/payments/issues/42' })
  url!: string;
}

export class ScopeCandidatesDto {
  /** At most 50, newest first. */
  @ApiProperty({ type: [ScopeCandidateDto], maxItems: 50 })
  issues!: readonly ScopeCandidateDto[];
}

/** A filter of the users to whom issues can be assigned. */
export class ScopeAssigneesQuery {
  @IsSearchTerm('A part of the login or of the name.')
  search?: string;
}

/** A user to whom issues of the repository can be assigned. */
export class ScopeAssigneeDto {
  @ApiProperty({ example: 'grace' })
  login!: string;

  /** Null if the user never signed in here, or has no name on GitHub. */
  @ApiProperty({ type: 'string', nullable: true, example: 'Grace Hopper' })
  name!: string | null;

  @ApiProperty({ format: 'uri', example: 'https://avatars.githubusercontent.com/u/583231?v=4' })
  avatarUrl!: string;
}

export class ScopeAssigneesDto {
  /** At most 50, in the order of GitHub. */
  @ApiProperty({ type: [ScopeAssigneeDto], maxItems: 50 })
  users!: readonly ScopeAssigneeDto[];
}
