import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../database/database.js';
import { EventsRepository } from '../../events/events.repository.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { InstallationsRepository } from './installations.repository.js';
import { type RepositoryOutcome, SyncRunsRepository } from './sync-runs.repository.js';

export interface StartedSyncRun {
  readonly id: string;
  /** False if a run was already in progress. */
  readonly isNew: boolean;
}

/** A requested run; `waiting` until the current one ends. */
export interface RequestedSyncRun {
  readonly id: string;
  readonly status: 'running' | 'waiting';
}

/**
 * Starts and ends the sync runs of workspaces. A workspace has at most one run at a time in all processes: each transaction locks
 * the row of the workspace first.
 */
@Injectable()
export class SyncRunsService {
  constructor(
    private readonly installations: InstallationsRepository,
    private readonly runs: SyncRunsRepository,
    private readonly events: EventsRepository,
    private readonly jobs: JobsService,
  ) {}

  /** Returns the current run; null if there is none. */
  findRunning(tx: TenantTransaction): Promise<string | null> {
    return this.runs.findRunning(tx);
  }

  /** Returns the last run that included the repository; null if there is none. */
  findRunByRepository(tx: TenantTransaction, repositoryId: string): Promise<string | null> {
    return this.runs.findRunByRepository(tx, repositoryId);
  }

  /** Returns the current run, or starts one. */
  async begin(tx: TenantTransaction): Promise<StartedSyncRun> {
    const running = await this.lock(tx);
    if (running !== null) return { id: running, isNew: false };
    const id = randomUUID();
    await this.create(tx, id);
    return { id, isNew: true };
  }

  /**
   * Requests a run for one repository, or for the whole workspace if it is null. The run starts after this call. If one is in
   * progress, which may have read the data already, another one follows it, and requests share the waiting run.
   */
  async request(tx: TenantTransaction, repositoryId: string | null): Promise<RequestedSyncRun> {
    const requestedIds = repositoryId === null ? null : [repositoryId];
    if ((await this.lock(tx)) !== null) return { id: await this.runs.addWaiting(tx, requestedIds), status: 'waiting' };
    const id = randomUUID();
    await this.start(tx, id, requestedIds);
    return { id, status: 'running' };
  }

  /** Adds the repositories of the run and marks its list as complete. A run without waiting repositories ends. */
  async setRepositories(tx: TenantTransaction, runId: string, repositoryIds: readonly string[]): Promise<void> {
    await this.runs.addRepositories(tx, runId, repositoryIds);
    await this.runs.markListed(tx, runId);
    await this.finishIfDone(tx);
  }

  /** Adds repositories to the current run, whose own list may follow, or starts a run for them. */
  async addRepositories(tx: TenantTransaction, repositoryIds: readonly string[]): Promise<void> {
    await this.lock(tx);
    if (repositoryIds.length > 0) {
      const run = await this.begin(tx);
      if (run.isNew) return this.setRepositories(tx, run.id, repositoryIds);
      await this.runs.addRepositories(tx, run.id, repositoryIds);
    }
    // A repository that the run waited for may have been removed.
    await this.finishIfDone(tx);
  }

  /**
   * Saves the result of a repository and ends the run after the last one. `run` is the result of `findRunByRepository` before
   * the read: a run that started later does not get this result.
   */
  async setRepositoryResult(
    tx: TenantTransaction,
    repositoryId: string,
    run: string | null,
    outcome: RepositoryOutcome,
  ): Promise<void> {
    await this.lock(tx);
    if (await this.runs.setRepositoryResult(tx, repositoryId, run, outcome)) {
      await this.events.append(tx, { type: 'sync.progress', repositoryId });
    }
    await this.finishIfDone(tx);
  }

  /** Ends the current run, if there is one, because the installation cannot be read. */
  async fail(tx: TenantTransaction, failure: string): Promise<void> {
    await this.lock(tx);
    if (!(await this.runs.markFailed(tx, failure))) return;
    await this.events.append(tx, { type: 'sync.failed' });
    await this.startNext(tx);
  }

  /** Locks the runs of the workspace until the transaction ends and returns the current one. */
  private async lock(tx: TenantTransaction): Promise<string | null> {
    await this.runs.lock(tx);
    // A run that took too long ended, so that the waiting one can start.
    return (await this.runs.findRunning(tx)) ?? (await this.startNext(tx));
  }

  /** Starts the waiting run in the transaction that ended the last one; null if none waits. */
  private async startNext(tx: TenantTransaction): Promise<string | null> {
    const next = await this.runs.takeWaiting(tx);
    if (!next) return null;
    await this.start(tx, next.id, next.repositoryIds);
    return this.runs.findRunning(tx);
  }

  /** Starts a run and enqueues its jobs. Null means the whole workspace. */
  private async start(tx: TenantTransaction, id: string, repositoryIds: readonly string[] | null): Promise<void> {
    await this.create(tx, id);
    const installationId = await this.installations.findActiveInstallation(tx);
    if (installationId === null) return this.fail(tx, 'The app is not installed for the organization, or suspended.');
    if (repositoryIds === null) {
      await this.jobs.enqueue(tx, 'sync-installation', { installationId });
      return;
    }
    await this.setRepositories(tx, id, repositoryIds);
    for (const repositoryId of repositoryIds) {
      await this.jobs.enqueue(tx, 'sync-repository', { orgId: tx.orgId, repositoryId, installationId });
    }
  }

  private async create(tx: TenantTransaction, id: string): Promise<void> {
    await this.runs.create(tx, id);
    await this.events.append(tx, { type: 'sync.started' });
  }

  private async finishIfDone(tx: TenantTransaction): Promise<void> {
    if (!(await this.runs.finishIfDone(tx))) return;
    await this.events.append(tx, { type: 'sync.completed' });
    await this.startNext(tx);
  }
}
