import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../../database/database.js';
import { CI_WORKFLOW, ENFORCE_WORKFLOW } from '../../../domain/repository/managed-files.js';

/** Which workflow files a repository has from the service. */
export interface WorkflowInstallation {
  readonly installedRevision: string;
  /** The repository's CI is its own: of the service it has the enforcement file alone. */
  readonly customCi: boolean;
  /** The paths that were installed, and that nobody else may change. */
  readonly paths: readonly string[];
  readonly installedAt: Date;
}

/** What is known of the workflow files of repositories. */
@Injectable()
export class WorkflowInstallations {
  /** Null where the service never installed any. */
  async find(tx: TenantTx, repositoryId: string): Promise<WorkflowInstallation | null> {
    const [row] = await tx.prepared<{
      readonly installed_revision: string;
      readonly custom_ci: boolean;
      readonly installed_at: Date;
    }>(
      'find_workflow_installation',
      'select installed_revision, custom_ci, installed_at from workflow_installation where repository_id = $1',
      [repositoryId],
    );
    if (!row) return null;
    return {
      installedRevision: row.installed_revision,
      customCi: row.custom_ci,
      paths: row.custom_ci ? [ENFORCE_WORKFLOW] : [CI_WORKFLOW, ENFORCE_WORKFLOW],
      installedAt: row.installed_at,
    };
  }
}
