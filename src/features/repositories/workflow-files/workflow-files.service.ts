import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database, type TenantTransaction } from '../../../database/database.js';
import type { Sha } from '../../../domain/facts/facts.js';
import { CI_WORKFLOW, ENFORCE_WORKFLOW } from '../../../domain/repository/managed-files.js';
import { JobsService } from '../../../jobs/jobs.service.js';
import { FactsService } from '../../releases/facts/facts.service.js';
import { WorkflowTemplatesService } from './workflow-templates.service.js';

/** The first revision that contained a file. */
export interface PublishedRevision {
  readonly revision: string;
  readonly publishedAt: Date;
}

const SELECT = 'select revision, published_at as "publishedAt" from find_published_workflow($1, $2)';

/** The managed workflow files of a repository. */
export interface WorkflowInstallation {
  readonly installedRevision: string;
  /** The repository uses its own CI workflow, so only the enforcement workflow is managed. */
  readonly customCi: boolean;
  /** The managed paths. */
  readonly paths: readonly string[];
  readonly installedAt: Date;
}

/** Stores the published revisions of the workflow files and the revision that each repository has. */
@Injectable()
export class WorkflowFilesService implements OnApplicationBootstrap {
  /** Published revisions never change. */
  private readonly known = new Map<string, PublishedRevision>();

  constructor(
    private readonly database: Database,
    private readonly workflows: WorkflowTemplatesService,
    private readonly clock: Clock,
    private readonly jobs: JobsService,
    private readonly facts: FactsService,
  ) {}

  /** Whether a file with exactly this content was ever published for this path. */
  async isPublished(tx: TenantTransaction | null, path: string, blobSha: Sha): Promise<boolean> {
    return (await this.findPublishedRevision(tx, path, blobSha)) !== null;
  }

  /** Uses the transaction if there is one, so that its work does not wait for a second connection. */
  async findPublishedRevision(
    tx: TenantTransaction | null,
    path: string,
    blobSha: Sha,
  ): Promise<PublishedRevision | null> {
    const key = `${path} ${blobSha}`;
    const known = this.known.get(key);
    if (known) return known;
    const [found] = tx
      ? await tx.query<PublishedRevision>(SELECT, [path, blobSha])
      : await this.database.queryWithoutTenant<PublishedRevision>('find_published_workflow', SELECT, [path, blobSha]);
    if (found) this.known.set(key, found);
    return found ?? null;
  }

  /** Publishes the files of this process before it serves requests and runs jobs. */
  async onApplicationBootstrap(): Promise<void> {
    const files = this.workflows.files();
    await this.database.queryWithoutTenant('publish_workflows', 'select publish_workflows($1, $2, $3, $4)', [
      files.map(({ path }) => path),
      files.map(({ blobSha }) => blobSha),
      this.workflows.revision,
      this.clock.now(),
    ]);
  }

  /** Null if the service never installed any. */
  async findInstallation(tx: TenantTransaction, repositoryId: string): Promise<WorkflowInstallation | null> {
    const [found] = await tx.queryPrepared<Omit<WorkflowInstallation, 'paths'>>(
      'find_workflow_installation',
      `select installed_revision as "installedRevision", custom_ci as "customCi", installed_at as "installedAt"
       from workflow_installation where repository_id = $1`,
      [repositoryId],
    );
    return found ? { ...found, paths: found.customCi ? [ENFORCE_WORKFLOW] : [CI_WORKFLOW, ENFORCE_WORKFLOW] } : null;
  }

  /**
   * Saves the revision of the managed workflow files, or of the enforcement workflow alone if the repository has its own CI.
   * A managed CI file stays managed, also if it is changed or removed. Earlier observations than the stored one are ignored.
   * Returns true if anything changed. Then a job checks the files, because they may have been changed before they were known
   * as managed, and the gates stay closed until then.
   */
  async saveInstallation(
    tx: TenantTransaction,
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
    await this.jobs.enqueue(tx, 'check-workflow-files', { orgId: tx.orgId, repositoryId });
    await this.facts.invalidateRepository(tx, repositoryId, 'integrity', { ofShipped: true });
    return true;
  }
}
