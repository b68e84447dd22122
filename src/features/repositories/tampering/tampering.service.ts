import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import type { TenantTransaction } from '../../../database/database.js';
import { DEFAULT_POLICY, type Policy } from '../../../domain/policy/policy.js';
import { type TamperedFile, diffTampering } from '../../../domain/repository/tampering.js';
import { EventsRepository } from '../../../events/events.repository.js';
import { JobsService } from '../../../jobs/jobs.service.js';
import { type Repository, RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import type { AuditAction } from '../../audit/audit-actions.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import { FactsService } from '../../releases/facts/facts.service.js';
import { ObservationsRepository } from '../../releases/facts/observations.repository.js';
import { WorkflowFilesService } from '../workflow-files/workflow-files.service.js';
import { type RepositoryCheck, WatchedFilesRepository, type WatchState } from './watched-files.repository.js';

/** A repository with its watched files. */
export interface Watch {
  readonly repository: Repository;
  readonly state: WatchState;
  /** The files that were seen installed or that the service installed. */
  readonly files: readonly string[];
  /** The policy that defines the release branches. */
  readonly policy: Policy;
}

/** Finds what is watched, saves the results of tampering checks, and invalidates the affected gates. */
@Injectable()
export class TamperingService {
  constructor(
    private readonly watchedFiles: WatchedFilesRepository,
    private readonly workflowFiles: WorkflowFilesService,
    private readonly repos: RepositoriesRepository,
    private readonly observations: ObservationsRepository,
    private readonly facts: FactsService,
    private readonly events: EventsRepository,
    private readonly audit: AuditLogService,
    private readonly jobs: JobsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Saves a check. If a file was tampered with or restored, every release of the repository is invalidated. A check that did not
   * include a file which is watched by now is dropped, and another one is enqueued.
   */
  async record(tx: TenantTransaction, repository: Repository, check: RepositoryCheck): Promise<void> {
    const { id } = repository;
    const before = await this.watchedFiles.findForUpdate(tx, id);
    if (before.files.some((path) => !check.watched.includes(path)))
      return this.jobs.enqueue(tx, 'check-workflow-files', { orgId: tx.orgId, repositoryId: id });
    const watchesMore = check.watched.length > before.files.length;
    await this.watchedFiles.save(tx, id, check, { watchesMore, now: this.clock.now() });
    const after = await this.watchedFiles.find(tx, id);
    const { tampered, restored } = diffTampering(before.tampered, after.tampered);
    const seen = new Map(before.branches.map((known) => [known.branch, known]));
    const hasMoved = after.branches.some(
      ({ branch, headSha, trunk }) => seen.get(branch)?.headSha !== headSha || seen.get(branch)?.trunk !== trunk,
    );
    if (tampered.length + restored.length > 0) {
      await this.facts.invalidateRepository(tx, id, 'integrity', { ofShipped: true });
      await this.events.append(tx, { type: 'repo.updated', repositoryId: id });
      await this.jobs.enqueue(tx, 'update-tampering-issues', { orgId: tx.orgId, repositoryId: id });
      await this.append(tx, repository, 'repository.tampered', tampered);
      await this.append(tx, repository, 'repository.restored', restored);
    } else if ((hasMoved || watchesMore) && after.files.length > 0) {
      // A gate may only wait for this check.
      await this.facts.invalidateRepository(tx, id, 'integrity', { ofShipped: false });
    }
  }

  /** Null if the repository is not managed, because its gates are closed anyway. */
  async findWatch(tx: TenantTransaction, repositoryId: string): Promise<Watch | null> {
    const repository = await this.repos.find(tx, repositoryId);
    if (repository?.managed !== true) return null;
    const state = await this.watchedFiles.find(tx, repositoryId);
    const installed = (await this.workflowFiles.findInstallation(tx, repositoryId))?.paths ?? [];
    const policy = (await this.observations.find(tx, repositoryId)) ?? DEFAULT_POLICY;
    return { repository, state, files: [...new Set([...state.files, ...installed])], policy };
  }

  private async append(
    tx: TenantTransaction,
    { id, org, name }: Repository,
    action: AuditAction & `repository.${string}`,
    files: readonly TamperedFile[],
  ): Promise<void> {
    if (files.length === 0) return;
    const data = { files: files.map(({ branch, path }) => ({ branch, path })) };
    const subject = `${org}/${name}`;
    await this.audit.append(tx, { actor: { type: 'service' }, action, subject, data, repositoryIds: [id] });
  }
}
