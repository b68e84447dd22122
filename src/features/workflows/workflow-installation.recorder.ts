import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';

/** Keeps which workflow files a repository has from the service. */
@Injectable()
export class WorkflowInstallationRecorder {
  /**
   * The repository has that revision of both files from now on, or of the enforcement file alone where its CI is its
   * own. What is told of an earlier moment than is known already changes nothing.
   */
  async installed(
    tx: TenantTx,
    repositoryId: string,
    revision: string,
    at: Date,
    { customCi = false }: { readonly customCi?: boolean } = {},
  ): Promise<void> {
    await tx.query(
      `insert into workflow_installation (org_id, repository_id, installed_revision, custom_ci, installed_at)
       values ($1, $2, $3, $4, $5)
       on conflict (org_id, repository_id) do update
         set installed_revision = excluded.installed_revision, custom_ci = excluded.custom_ci,
           installed_at = excluded.installed_at
         where workflow_installation.installed_at <= excluded.installed_at`,
      [tx.orgId, repositoryId, revision, customCi, at],
    );
  }
}
