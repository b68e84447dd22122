import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../../database/database.js';
import { Jobs } from '../../../jobs/jobs.js';
import { FactsRecorder } from '../../releases/facts/facts.recorder.js';

/** Keeps which workflow files a repository has from the service. */
@Injectable()
export class WorkflowInstallationRecorder {
  constructor(
    private readonly jobs: Jobs,
    private readonly facts: FactsRecorder,
  ) {}

  /**
   * The repository has that revision of both files from now on, or of the enforcement file alone where its CI is its
   * own. A CI file that was installed once stays the service's: changing or removing it is no way to have it watched no
   * more. What is told of an earlier moment than is known already changes nothing. True where it was not known; the files
   * are looked at then, because somebody may have changed them before it was known that they are the service's, and no
   * gate is believed until that is done.
   */
  async installed(
    tx: TenantTx,
    repositoryId: string,
    revision: string,
    at: Date,
    { customCi = false }: { readonly customCi?: boolean } = {},
  ): Promise<boolean> {
    const changed = await tx.query(
      `insert into workflow_installation as known (org_id, repository_id, installed_revision, custom_ci, installed_at)
       values ($1, $2, $3, $4, $5)
       on conflict (org_id, repository_id) do update
         set installed_revision = excluded.installed_revision, custom_ci = known.custom_ci and excluded.custom_ci,
           installed_at = excluded.installed_at
         where known.installed_at <= excluded.installed_at
           and (known.installed_revision <> excluded.installed_revision or known.custom_ci and not excluded.custom_ci)
       returning repository_id`,
      [tx.orgId, repositoryId, revision, customCi, at],
    );
    if (changed.length === 0) return false;
    await this.jobs.enqueue(tx, 'watch-workflows', { orgId: tx.orgId, repositoryId });
    await this.facts.recordStanding(tx, repositoryId, 'integrity', { ofShipped: true });
    return true;
  }
}
