import { ApiProperty } from '@nestjs/swagger';
import { PROTECTION_STATUSES, type ProtectionStatus } from '../../../domain/repository/ruleset.js';
import { IsPersonalAccessToken } from '../../../http/validation/field.decorators.js';

/** What it takes where the app itself may not do it. */
export class ConfigureRulesetsDto {
  /**
   * A personal access token of somebody who administers the repository. Needed where the app lacks `administration: write`,
   * and kept for nothing else: sealed, until it was used, and an hour at most.
   */
  @IsPersonalAccessToken()
  pat?: string | null;
}

/** Whether GitHub itself holds the repository's branches to the policy. */
export class BranchProtectionDto {
  /**
   * `pending`: it is being set up. `active`: as wanted, or stricter. `drifted`: weaker than it was set up. `failed`: it
   * could not be set up. `advisory`: the plan on GitHub has no rulesets. `unknown`: nobody has asked for it yet.
   */
  @ApiProperty({ enum: PROTECTION_STATUSES, example: 'pending' })
  status!: ProtectionStatus;

  /** What is wrong and what to do; null where there is nothing to say. */
  @ApiProperty({ type: String, nullable: true, example: null })
  detail!: string | null;
}
