import { ApiProperty } from '@nestjs/swagger';
import { PROTECTION_STATUSES, type ProtectionStatus } from '../../../domain/repository/ruleset.js';
import { IsPersonalAccessToken } from '../../../http/validation/field.decorators.js';

/** The options of the ruleset configuration. */
export class ConfigureRulesetsDto {
  /**
   * A personal access token of an administrator of the repository. Required if the app lacks `administration: write`. It is
   * stored encrypted until it is used, for at most an hour.
   */
  @IsPersonalAccessToken()
  pat?: string | null;
}

/** Whether GitHub protects the repository's branches as the policy requires. */
export class BranchProtectionDto {
  /**
   * `pending`: it is being configured. `active`: as required, or stricter. `drifted`: weaker than configured. `failed`: it
   * could not be configured. `advisory`: the repository's plan on GitHub has no rulesets. `unknown`: it was never requested.
   */
  @ApiProperty({ enum: PROTECTION_STATUSES, example: 'pending' })
  status!: ProtectionStatus;

  /** The problem and the next step; null if there is no problem. */
  @ApiProperty({ type: String, nullable: true, example: null })
  detail!: string | null;
}
