import { ApiProperty } from '@nestjs/swagger';
import { MANAGED_WORKFLOWS } from '../../../domain/repository/managed-files.js';
import { WORKFLOW_UPDATE_STATUSES, type WorkflowUpdateStatus } from '../../../domain/repository/workflow-update.js';
import { IsPersonalAccessToken } from '../../../http/validation/field.decorators.js';

/** What it takes where the app itself may not do it. */
export class OpenWorkflowUpdateDto {
  /**
   * A personal access token that may write contents and workflows of the repository. Needed where the app lacks
   * `workflows: write`, used for this one pull request, and kept nowhere.
   */
  @IsPersonalAccessToken()
  pat?: string | null;
}

/** The workflow files of a repository beside those that Shipgate would install now. */
export class WorkflowUpdateDto {
  /**
   * `PR_CREATED`: opened just now. `PR_OPEN`: it was open already, or was brought up to date. `CONFLICT`: the branch holds
   * somebody else's changes. `PAT_REQUIRED`: the app may not write workflow files, so a token is needed.
   */
  @ApiProperty({ enum: WORKFLOW_UPDATE_STATUSES, example: 'PR_OPEN' })
  status!: WorkflowUpdateStatus;

  /** The open pull request of the update; null where there is none. */
  @ApiProperty({ type: 'integer', nullable: true, minimum: 1, example: 17 })
  prNumber!: number | null;

  @ApiProperty({ type: String, format: 'uri', nullable: true, example: 'https://github.com/acme/payments/pull/17' })
  prUrl!: string | null;

  /** What would be installed now. */
  @ApiProperty({ example: '4be2c1d09f37a865' })
  targetRevision!: string;

  /** What lies on the default branch; null where that is of no revision of Shipgate. */
  @ApiProperty({ type: String, nullable: true, example: '91c07e5a2b6d4f38' })
  installedRevision!: string | null;

  /** The files that Shipgate keeps up to date: where CI is the repository's own, the enforcement alone. */
  @ApiProperty({ type: [String], example: MANAGED_WORKFLOWS })
  managedFiles!: string[];

  /** The branch of the pull request, or the one that is in the way; null where there is none. */
  @ApiProperty({ type: String, nullable: true, example: 'shipgate-workflow-update-4be2c1d09f37a865' })
  branch!: string | null;
}
