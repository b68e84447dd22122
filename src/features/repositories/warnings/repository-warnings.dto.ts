import { ApiProperty } from '@nestjs/swagger';
import { WARNING_CODES, type WarningCode } from './repository-warnings.service.js';

export class RepositoryWarningDto {
  @ApiProperty({ format: 'uuid', example: '6f0d1c52-3b7a-4e8f-9a51-0c2d4e6f8a1b' })
  repoId!: string;

  /** The repository's name, without its organization's. */
  @ApiProperty({ example: 'payments' })
  repo!: string;

  /**
   * `installation_removed`, `installation_suspended`: GitHub tells the service nothing about the organization.
   * `ambiguous_name`: two repositories have one name. `policy_missing`, `policy_invalid`, `policy_unknown`: `sdlc.yaml` is
   * not there, does not validate, or was not read for 20 minutes. `plan_limit`: the plan has no room for the repository.
   * `actions_not_readable`: an owner of the organization has not accepted yet that the app reads Actions, so GitHub does not
   * tell the jobs of CI runs.
   * `protection_drifted`, `protection_failed`, `protection_advisory`: the rulesets are weaker than the policy asks, could
   * not be set up, or are not offered by the plan on GitHub.
   */
  @ApiProperty({ enum: WARNING_CODES, example: 'policy_invalid' })
  code!: WarningCode;

  /** What is wrong, with line and key where it is in `sdlc.yaml`, and what to do. */
  @ApiProperty({ example: 'sdlc.yaml, line 7: stages.testing.min_test: is not known; did you mean min_tests?' })
  detail!: string;

  /** Since when, as far as it was observed; null where no time is known. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-03-02T09:30:00.000Z' })
  since!: string | null;
}

export class RepositoryWarningListDto {
  @ApiProperty({ type: [RepositoryWarningDto] })
  warnings!: RepositoryWarningDto[];
}
