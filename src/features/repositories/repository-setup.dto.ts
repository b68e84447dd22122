import { ApiProperty } from '@nestjs/swagger';
import { SETUP_STATES, type SetupState } from '../../domain/repository/bootstrap.js';
import { IsPersonalAccessToken } from '../../http/validation/field.decorators.js';
import {
  PROTECTION_RULE_STATUSES,
  PROTECTION_STATUSES,
  type ProtectionRuleStatus,
  type ProtectionStatus,
} from '../../domain/repository/ruleset.js';
import { WARNING_CODES, type WarningCode } from './warnings/repository-warnings.service.js';
import { MANAGED_WORKFLOWS } from '../../domain/repository/managed-files.js';
import { WORKFLOW_UPDATE_STATUSES, type WorkflowUpdateStatus } from '../../domain/repository/workflow-update.js';

/** The options of a workflow update. */
export class OpenWorkflowUpdateDto {
  /**
   * A personal access token that may write contents and workflows of the repository. Required if the app lacks
   * `workflows: write`. It is used for this pull request only and not stored.
   */
  @IsPersonalAccessToken()
  pat?: string | null;
}

/** The workflow files of a repository, compared with the current revision of Shipgate. */
export class WorkflowUpdateDto {
  /**
   * `PR_CREATED`: the pull request was opened by this request. `PR_OPEN`: it was already open. `CONFLICT`: the branch has
   * changes that Shipgate did not create. `PAT_REQUIRED`: the app may not write workflow files, so a token is required.
   */
  @ApiProperty({ enum: WORKFLOW_UPDATE_STATUSES, example: 'PR_OPEN' })
  status!: WorkflowUpdateStatus;

  /** The number of the open pull request; null if there is none. */
  @ApiProperty({ type: 'integer', nullable: true, minimum: 1, example: 17 })
  prNumber!: number | null;

  @ApiProperty({ type: String, format: 'uri', nullable: true, example: 'https://github.com/acme/payments/pull/17' })
  prUrl!: string | null;

  /** The current revision of Shipgate's workflow files. */
  @ApiProperty({ example: '4be2c1d09f37a865' })
  targetRevision!: string;

  /** The revision on the default branch; null if the files match no published revision. */
  @ApiProperty({ type: String, nullable: true, example: '91c07e5a2b6d4f38' })
  installedRevision!: string | null;

  /** The files that Shipgate updates: only the enforcement workflow if the repository has its own CI. */
  @ApiProperty({ type: [String], example: MANAGED_WORKFLOWS })
  managedFiles!: string[];

  /** The branch of the pull request, or the conflicting branch; null if there is none. */
  @ApiProperty({ type: String, nullable: true, example: 'shipgate-workflow-update-4be2c1d09f37a865' })
  branch!: string | null;
}

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

/** Whether GitHub holds the deployments of a repository until the gate is open. */
export class ProtectionRuleDto {
  /**
   * `active`: the environment has the rule. `missing`: the rule was taken off. `advisory`: the plan of the organization on GitHub has
   * no such rules. `unknown`: the rule was never enabled.
   */
  @ApiProperty({ enum: PROTECTION_RULE_STATUSES, example: 'active' })
  status!: ProtectionRuleStatus;

  /** The environment of the rule: the target of the policy. Null if the rule was never enabled. */
  @ApiProperty({ type: String, nullable: true, example: 'production' })
  environment!: string | null;

  /** Whether administrators may let a deployment run that the rule holds; null if GitHub does not return it. */
  @ApiProperty({ type: Boolean, nullable: true, example: false })
  adminsMayBypass!: boolean | null;
}

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
