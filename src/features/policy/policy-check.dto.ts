import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, Matches } from 'class-validator';

const STATUSES = ['valid', 'invalid', 'missing'] as const;

export class PolicyCheckQuery {
  /** The repository, as `name` or `owner/name`. */
  @ApiProperty({ example: 'acme/payments' })
  @Matches(/^([\w.-]{1,100}\/)?[\w.-]{1,100}$/, { message: 'repo must be a repository, as name or owner/name' })
  repo!: string;

  /** The commit. The default is the commit of the run, or the head of the default branch for an API key. */
  @ApiPropertyOptional({ example: '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392' })
  @IsOptional()
  @Matches(/^[0-9a-f]{40}$/, { message: 'sha must be a commit in 40 lower-case hexadecimal digits' })
  sha?: string;
}

export class PolicyProblemDto {
  /** From 1; null if the problem has no position in the file. */
  @ApiProperty({ type: 'integer', nullable: true, minimum: 1, example: 7 })
  line!: number | null;

  @ApiProperty({ type: 'integer', nullable: true, minimum: 1, example: 5 })
  column!: number | null;

  /** The path of the key; empty if there is none. */
  @ApiProperty({ example: 'stages.testing.required_chekcs' })
  key!: string;

  @ApiProperty({ example: 'There is no such key; required_checks is one.' })
  message!: string;
}

/** The result of checking the `sdlc.yaml` of a commit. */
export class PolicyCheckDto {
  @ApiProperty({ enum: STATUSES })
  status!: (typeof STATUSES)[number];

  /** The reasons if it is invalid, at most 100. */
  @ApiProperty({ type: [PolicyProblemDto] })
  problems!: readonly PolicyProblemDto[];
}
