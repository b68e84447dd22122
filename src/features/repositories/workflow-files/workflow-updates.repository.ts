import { Injectable } from '@nestjs/common';
import type { User } from '../../../auth/user.js';
import { Clock } from '../../../config/clock.js';
import type { TenantTransaction } from '../../../database/database.js';
import { EventsRepository } from '../../../events/events.repository.js';
import { JobsService } from '../../../jobs/jobs.service.js';
import type { Repository } from '../../../workspaces/repositories.repository.js';
import { AuditRepository } from '../../audit/audit.repository.js';
import { WorkflowFilesRepository } from './workflow-files.repository.js';

/** The pull request by which a repository is being brought up to date. */
export interface ProposedUpdate {
  readonly number: number;
  readonly url: string;
  readonly branch: string;
  readonly revision: string;
}

/** What the default branch has from the service after a merge. */
export interface MergedWorkflows {
  /** Null where what lies there is of no revision of the service. */
  readonly revision: string | null;
  readonly customCi: boolean;
  readonly observedAt: Date;
}

/** The rows of updates that wait to be merged or closed. Asks that it be looked whether the pull request of a workflow update was merged or closed. Writes down what becomes of the updates of workflow files. */
@Injectable()
export class WorkflowUpdatesRepository {
  constructor(
    private readonly events: EventsRepository,
    private readonly clock: Clock,
    private readonly jobs: JobsService,
    private readonly installations: WorkflowFilesRepository,
    private readonly audit: AuditRepository,
  ) {}

  /** Null where none waits. */
  async find(tx: TenantTransaction, repositoryId: string): Promise<ProposedUpdate | null> {
    const [row] = await tx.query<ProposedUpdate>(
      `select pull_number as number, pull_url as url, branch, revision from workflow_update where repository_id = $1`,
      [repositoryId],
    );
    return row ?? null;
  }

  /** In place of any earlier one. True where that was not known yet. */
  async insertOpened(tx: TenantTransaction, repositoryId: string, update: ProposedUpdate): Promise<boolean> {
    const { number, url, branch, revision } = update;
    const changed = await tx.query(
      `insert into workflow_update (org_id, repository_id, pull_number, pull_url, branch, revision, opened_at)
       values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (org_id, repository_id) do update set pull_number = excluded.pull_number, pull_url = excluded.pull_url,
         branch = excluded.branch, revision = excluded.revision, opened_at = excluded.opened_at
         where workflow_update.pull_number <> excluded.pull_number
       returning repository_id`,
      [tx.orgId, repositoryId, number, url, branch, revision, this.clock.now()],
    );
    if (changed.length === 0) return false;
    await this.events.append(tx, { type: 'repo.updated', repositoryId });
    return true;
  }

  /** It was merged or closed. True where nobody had written that down yet. */
  async markFinished(tx: TenantTransaction, repositoryId: string, number: number): Promise<boolean> {
    const gone = await tx.query(
      'delete from workflow_update where repository_id = $1 and pull_number = $2 returning repository_id',
      [repositoryId, number],
    );
    if (gone.length === 0) return false;
    await this.events.append(tx, { type: 'repo.updated', repositoryId });
    return true;
  }

  /** Adds nothing where none is known to wait, so that it costs nothing to ask again and again. */
  async enqueueCompletion(tx: TenantTransaction, repositoryId: string): Promise<void> {
    const waiting = await tx.query('select from workflow_update where repository_id = $1', [repositoryId]);
    if (waiting.length > 0) await this.jobs.enqueue(tx, 'complete-workflow-update', { orgId: tx.orgId, repositoryId });
  }

  /** After a word of one: it may have been opened, and merged, by somebody who died before it was written down. */
  async enqueueCompletionAfterChange(tx: TenantTransaction, repositoryId: string): Promise<void> {
    const installed = await tx.query('select from workflow_installation where repository_id = $1', [repositoryId]);
    if (installed.length > 0)
      await this.jobs.enqueue(tx, 'complete-workflow-update', { orgId: tx.orgId, repositoryId });
    else await this.enqueueCompletion(tx, repositoryId);
  }

  /** The pull request is open, and has it looked at once more: it may be merged before this is written down. */
  async recordOpened(tx: TenantTransaction, repository: Repository, by: User, update: ProposedUpdate): Promise<void> {
    if (!(await this.insertOpened(tx, repository.id, update))) return;
    await this.enqueueCompletion(tx, repository.id);
    await this.audit.append(tx, {
      actor: { type: 'person', id: by.id, login: by.login },
      action: 'workflow_update.opened',
      subject: fullNameOf(repository),
      data: { pullNumber: update.number, revision: update.revision },
      repositoryIds: [repository.id],
    });
  }

  async recordMerged(
    tx: TenantTransaction,
    repository: Repository,
    number: number,
    merged: MergedWorkflows,
  ): Promise<void> {
    if (!(await this.markFinished(tx, repository.id, number))) return;
    await this.recordFound(tx, repository, merged);
    await this.audit.append(tx, {
      actor: { type: 'service' },
      action: 'workflow_update.merged',
      subject: fullNameOf(repository),
      data: { pullNumber: number, revision: merged.revision },
      repositoryIds: [repository.id],
    });
  }

  async recordClosed(tx: TenantTransaction, repository: Repository, number: number): Promise<void> {
    await this.markFinished(tx, repository.id, number);
  }

  /** The default branch has this, whoever brought it. */
  async recordFound(tx: TenantTransaction, { id }: Repository, merged: MergedWorkflows): Promise<void> {
    const { revision, customCi, observedAt } = merged;
    if (revision === null || !(await this.installations.saveInstallation(tx, id, revision, observedAt, { customCi })))
      return;
    await this.events.append(tx, { type: 'repo.updated', repositoryId: id });
  }
}

const fullNameOf = ({ org, name }: Repository): string => `${org}/${name}`;
