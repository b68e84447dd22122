import { ApiProperty } from '@nestjs/swagger';
import { MANAGED_WORKFLOWS } from '../../../domain/repository/managed-files.js';
import { WORKFLOW_UPDATE_STATUSES, type WorkflowUpdateStatus } from '../../../domain/repository/workflow-update.js';
import { IsPersonalAccessToken } from '../../../http/validation/field.decorators.js';

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
