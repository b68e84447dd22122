import { ApiProperty } from '@nestjs/swagger';
import type { SetupState } from '../../../domain/repository/bootstrap.js';
import { IsPersonalAccessToken } from '../../../http/validation/field.decorators.js';

const STATES: readonly SetupState[] = [
  'NOT_STARTED',
  'PR_OPEN',
  'MERGED',
  'PROTECTION_PENDING',
  'PROTECTION_FAILED',
  'COMPLETE',
  'LEGACY',
  'SUSPENDED',
  'REMOVED',
];

/** How a repository is to be set up. */
export class StartBootstrapDto {
  /**
   * A personal access token of GitHub that may write contents and workflows of the repository, and for the protection of
   * its branches administer it. Needed where the app lacks these permissions, used for nothing else, kept sealed for an hour
   * at most, and not kept at all where the app may do it itself.
   */
  @IsPersonalAccessToken()
  pat?: string | null;
}

/** How far the set-up of a repository went. */
export class BootstrapDto {
  /** `PR_OPEN`, or what follows a merge where all of the files lay in the repository already. */
  @ApiProperty({ enum: STATES, example: 'PR_OPEN' })
  status!: SetupState;

  /** Null where there was nothing to propose. */
  @ApiProperty({ type: 'integer', nullable: true, example: 12 })
  prNumber!: number | null;

  @ApiProperty({ type: String, format: 'uri', nullable: true, example: 'https://github.com/acme/payments/pull/12' })
  prUrl!: string | null;
}
