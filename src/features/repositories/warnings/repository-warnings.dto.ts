import { ApiProperty } from '@nestjs/swagger';
import { WARNING_CODES, type WarningCode } from './repository-warnings.service.js';

export class RepositoryWarningDto {
  @ApiProperty({ format: 'uuid', example: '6f0d1c52-3b7a-4e8f-9a51-0c2d4e6f8a1b' })
  repoId!: string;

  /** The name of the repository without its owner. */
  @ApiProperty({ example: 'payments' })
  repo!: string;

  /**
   * `installation_removed`, `installation_suspended`: the app cannot access the organization. `ambiguous_name`: two
   * repositories have the same name. `policy_missing`, `policy_invalid`, `policy_unknown`: `sdlc.yaml` does not exist, is not
   * valid, or was not read for 20 minutes. `plan_limit`: the plan's limit of managed repositories is reached.
   * `actions_not_readable`: an owner of the organization has not granted the app access to Actions, so the jobs of CI runs
   * are unknown. `tampered`: managed workflow files were changed. `protection_drifted`, `protection_failed`,
   * `protection_advisory`: the rulesets are weaker than the policy requires, could not be configured, or are not available
   * on the repository's plan. `rule_missing`: the protection rule was taken off the environment. `admins_may_bypass`:
   * administrators may let deployments run that the protection rule holds.
   */
  @ApiProperty({ enum: WARNING_CODES, example: 'policy_invalid' })
  code!: WarningCode;

  /** The problem, with line and key if it is in `sdlc.yaml`, and the next step. */
  @ApiProperty({ example: 'sdlc.yaml, line 7: stages.testing.min_test: is not known; did you mean min_tests?' })
  detail!: string;

  /** When the problem was first observed; null if it is not known. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-03-02T09:30:00.000Z' })
  since!: string | null;
}

export class RepositoryWarningListDto {
  @ApiProperty({ type: [RepositoryWarningDto] })
  warnings!: RepositoryWarningDto[];
}
