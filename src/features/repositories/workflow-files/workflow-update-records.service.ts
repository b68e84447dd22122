import { Injectable } from '@nestjs/common';
import type { User } from '../../../auth/user.js';
import { Clock } from '../../../config/clock.js';
import type { TenantTransaction } from '../../../database/database.js';
import { EventsRepository } from '../../../events/events.repository.js';
import { JobsService } from '../../../jobs/jobs.service.js';
import type { Repository } from '../../../workspaces/repositories.repository.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import { WorkflowFilesService } from './workflow-files.service.js';

/** The open pull request of a workflow update. */
export interface ProposedUpdate {
  readonly number: number;
  readonly url: string;
  readonly branch: string;
  readonly revision: string;
}

/** The managed workflow files of the default branch after a merge. */
export interface MergedWorkflows {
  /** Null if the files match no published revision. */
  readonly revision: string | null;
  readonly customCi: boolean;
  readonly observedAt: Date;
}

/** Stores the open workflow updates of repositories and records their results. */
@Injectable()
export class WorkflowUpdateRecordsService {
  constructor(
    private readonly events: EventsRepository,
    private readonly clock: Clock,
    private readonly jobs: JobsService,
    private readonly workflowFiles: WorkflowFilesService,
    private readonly audit: AuditLogService,
  ) {}

  /** Null if there is none. */
  async find(tx: TenantTransaction, repositoryId: string): Promise<ProposedUpdate | null> {
    const [row] = await tx.query<ProposedUpdate>(
      `select pull_number as number, pull_url as url, branch, revision from workflow_update where repository_id = $1`,
      [repositoryId],
    );
    return row ?? null;
  }

  /** Replaces an earlier update. Returns false if this one was already stored. */
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

  /** Deletes the update after its merge or close. Returns false if it was already deleted. */
  async markFinished(tx: TenantTransaction, repositoryId: string, number: number): Promise<boolean> {
    const gone = await tx.query(
      'delete from workflow_update where repository_id = $1 and pull_number = $2 returning repository_id',
      [repositoryId, number],
    );
    if (gone.length === 0) return false;
    await this.events.append(tx, { type: 'repo.updated', repositoryId });
    return true;
  }

  /** Does nothing if there is no open update. */
  async enqueueCompletion(tx: TenantTransaction, repositoryId: string): Promise<void> {
    const waiting = await tx.query('select from workflow_update where repository_id = $1', [repositoryId]);
    if (waiting.length > 0) await this.jobs.enqueue(tx, 'complete-workflow-update', { orgId: tx.orgId, repositoryId });
  }

  /** Enqueues the job also without a stored update, because a process may have stopped before it saved the update. */
  async enqueueCompletionAfterChange(tx: TenantTransaction, repositoryId: string): Promise<void> {
    const installed = await tx.query('select from workflow_installation where repository_id = $1', [repositoryId]);
    if (installed.length > 0)
      await this.jobs.enqueue(tx, 'complete-workflow-update', { orgId: tx.orgId, repositoryId });
    else await this.enqueueCompletion(tx, repositoryId);
  }

  /** Saves the open pull request and enqueues a check, because it may have been merged before it was saved. */
  async recordOpened(tx: TenantTransaction, repository: Repository, by: User, update: ProposedUpdate): Promise<void> {
    if (!(await this.insertOpened(tx, repository.id, update))) return;
    await this.enqueueCompletion(tx, repository.id);
    await this.audit.append(tx, {
      actor: { type: 'person', id: by.id, login: by.login },
      action: 'workflow_update.opened',
      subject: fullName(repository),
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
      subject: fullName(repository),
      data: { pullNumber: number, revision: merged.revision },
      repositoryIds: [repository.id],
    });
  }

  async recordClosed(tx: TenantTransaction, repository: Repository, number: number): Promise<void> {
    await this.markFinished(tx, repository.id, number);
  }

  /** Saves the revision on the default branch, regardless of how it got there. */
  async recordFound(tx: TenantTransaction, { id }: Repository, merged: MergedWorkflows): Promise<void> {
    const { revision, customCi, observedAt } = merged;
    if (revision === null || !(await this.workflowFiles.saveInstallation(tx, id, revision, observedAt, { customCi })))
      return;
    await this.events.append(tx, { type: 'repo.updated', repositoryId: id });
  }
}

const fullName = ({ org, name }: Repository): string => `${org}/${name}`;
