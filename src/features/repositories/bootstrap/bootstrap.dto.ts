import { ApiProperty } from '@nestjs/swagger';
import { SETUP_STATES, type SetupState } from '../../../domain/repository/bootstrap.js';
import { IsPersonalAccessToken } from '../../../http/validation/field.decorators.js';

/** The options of a bootstrap. */
export class StartBootstrapDto {
  /**
   * A personal access token that may write contents and workflows of the repository, and administer it for the branch
   * protection. Required if the app lacks these permissions. It is used for nothing else, stored encrypted for at most an
   * hour, and not stored at all if the app has the permissions.
   */
  @IsPersonalAccessToken()
  pat?: string | null;
}

/** How far the set-up of a repository has come. */
export class BootstrapDto {
  /** `PR_OPEN`, or a state after the merge if the repository already had all files. */
  @ApiProperty({ enum: SETUP_STATES, example: 'PR_OPEN' })
  status!: SetupState;

  /** Null if there was nothing to propose. */
  @ApiProperty({ type: 'integer', nullable: true, example: 12 })
  prNumber!: number | null;

  @ApiProperty({ type: String, format: 'uri', nullable: true, example: 'https://github.com/acme/payments/pull/12' })
  prUrl!: string | null;
}
