import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import type { TenantTransaction } from '../../database/database.js';
import { EventsRepository } from '../../events/events.repository.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { InstallationsRepository } from './installations.repository.js';

const HOUR_MS = 3_600_000;
/** A run that takes longer is ended. The next run does the remaining work. */
const LONGEST_MS = HOUR_MS;
const SYNC_RUN_RETENTION_MS = 7 * 24 * HOUR_MS;
const DETAIL_LENGTH = 500;

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

/** The result of a repository's sync. */
export type RepositoryOutcome = { readonly syncedAt: Date } | { readonly failure: string };

/**
 * Stores the sync runs of workspaces. A workspace has at most one run at a time in all processes: each transaction locks the
 * row of the workspace first.
 */
@Injectable()
export class SyncRunsRepository {
  constructor(
    private readonly installations: InstallationsRepository,
    private readonly events: EventsRepository,
    private readonly jobs: JobsService,
    private readonly clock: Clock,
  ) {}

  /** Returns the current run, or starts one. */
  async begin(tx: TenantTransaction): Promise<StartedSyncRun> {
    const running = await this.lock(tx);
    if (running !== null) return { id: running, isNew: false };
    const id = randomUUID();
    await this.insert(tx, id);
    return { id, isNew: true };
  }

  /**
   * Requests a run for one repository, or for the whole workspace if it is null. The run starts after this call. If one is in
   * progress, which may have read the data already, another one follows it, and requests share the waiting run.
   */
  async request(tx: TenantTransaction, repositoryId: string | null): Promise<RequestedSyncRun> {
    const requestedIds = repositoryId === null ? null : [repositoryId];
    if ((await this.lock(tx)) === null) {
      const id = randomUUID();
      await this.start(tx, id, requestedIds);
      return { id, status: 'running' };
    }
    const [row] = await tx.query<{ readonly id: string }>(
      `insert into sync_follow_up (org_id, id, repository_ids, asked_at) values ($1, $2, $3, $4)
       on conflict (org_id) do update set repository_ids = case
         when sync_follow_up.repository_ids is null or excluded.repository_ids is null then null
         else array(select unnest(sync_follow_up.repository_ids) union select unnest(excluded.repository_ids)) end
       returning id`,
      [tx.orgId, randomUUID(), requestedIds, this.clock.now()],
    );
    if (!row) throw new Error('The requested sync run was not saved.');
    return { id: row.id, status: 'waiting' };
  }

  /** Returns the current run; null if there is none. */
  async findRunning(tx: TenantTransaction): Promise<string | null> {
    const [run] = await tx.query<{ readonly id: string }>('select id from sync_run where finished_at is null');
    return run?.id ?? null;
  }

  /** Returns the last run that included the repository; null if there is none. */
  async findRunByRepository(tx: TenantTransaction, repositoryId: string): Promise<string | null> {
    const [sync] = await tx.query<{ readonly run: string | null }>(
      'select run_id as run from repository_sync where repository_id = $1',
      [repositoryId],
    );
    return sync?.run ?? null;
  }

  /** Adds the repositories of the run and marks its list as complete. A run without waiting repositories ends. */
  async setRepositories(tx: TenantTransaction, runId: string, repositoryIds: readonly string[]): Promise<void> {
    await this.expect(tx, runId, repositoryIds);
    await tx.query('update sync_run set listed_at = coalesce(listed_at, $2) where id = $1', [runId, this.clock.now()]);
    await this.finishIfDone(tx);
  }

  /** Adds repositories to the current run, whose own list may follow, or starts a run for them. */
  async addRepositories(tx: TenantTransaction, repositoryIds: readonly string[]): Promise<void> {
    await this.lock(tx);
    if (repositoryIds.length > 0) {
      const run = await this.begin(tx);
      if (run.isNew) return this.setRepositories(tx, run.id, repositoryIds);
      await this.expect(tx, run.id, repositoryIds);
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
    const failure = 'failure' in outcome ? outcome.failure.slice(0, DETAIL_LENGTH) : null;
    const noted = await tx.query(
      `insert into repository_sync (org_id, repository_id, status, detail, synced_at)
       select $1, r.id, $3, $4, $5 from repository r where r.id = $2
       on conflict (org_id, repository_id) do update set
         status = case when repository_sync.run_id is not distinct from $6 then excluded.status
           else repository_sync.status end,
         detail = case when repository_sync.run_id is not distinct from $6 then excluded.detail
           else repository_sync.detail end,
         synced_at = coalesce(excluded.synced_at, repository_sync.synced_at)
       returning repository_id`,
      [
        tx.orgId,
        repositoryId,
        failure === null ? 'done' : 'failed',
        failure,
        'syncedAt' in outcome ? outcome.syncedAt : null,
        run,
      ],
    );
    if (noted.length > 0) await this.events.append(tx, { type: 'sync.progress', repositoryId });
    await this.finishIfDone(tx);
  }

  /** Ends the current run, if there is one, because the installation cannot be read. */
  async fail(tx: TenantTransaction, failure: string): Promise<void> {
    await this.lock(tx);
    const failed = await tx.query(
      'update sync_run set finished_at = $1, failure = $2 where finished_at is null returning id',
      [this.clock.now(), failure.slice(0, DETAIL_LENGTH)],
    );
    if (failed.length === 0) return;
    await this.events.append(tx, { type: 'sync.failed' });
    await this.startNext(tx);
  }

  /** Locks the runs of the workspace until the transaction ends and returns the current one. */
  private async lock(tx: TenantTransaction): Promise<string | null> {
    await tx.query('select from organization for no key update');
    const now = this.clock.now();
    await tx.query(
      `update sync_run set finished_at = $1, failure = 'It did not end within an hour.'
       where finished_at is null and begun_at < $2`,
      [now, new Date(now.getTime() - LONGEST_MS)],
    );
    // Also after a run that a process of an earlier version ended, which does not start waiting runs.
    return (await this.findRunning(tx)) ?? (await this.startNext(tx));
  }

  /** Starts the waiting run in the transaction that ended the last one; null if none waits. */
  private async startNext(tx: TenantTransaction): Promise<string | null> {
    const [next] = await tx.query<{ readonly id: string; readonly repositoryIds: readonly string[] | null }>(
      `with taken as (delete from sync_follow_up returning id, repository_ids)
       select id, repository_ids as "repositoryIds" from taken`,
    );
    if (!next) return null;
    await this.start(tx, next.id, next.repositoryIds);
    return this.findRunning(tx);
  }

  /** Starts a run and enqueues its jobs. Null means the whole workspace. */
  private async start(tx: TenantTransaction, id: string, repositoryIds: readonly string[] | null): Promise<void> {
    await this.insert(tx, id);
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

  private async insert(tx: TenantTransaction, id: string): Promise<void> {
    const now = this.clock.now();
    await tx.query('delete from sync_run where begun_at < $1', [new Date(now.getTime() - SYNC_RUN_RETENTION_MS)]);
    await tx.query('insert into sync_run (org_id, id, begun_at) values ($1, $2, $3)', [tx.orgId, id, now]);
    await this.events.append(tx, { type: 'sync.started' });
  }

  private async expect(tx: TenantTransaction, runId: string, repositoryIds: readonly string[]): Promise<void> {
    await tx.query(
      `insert into repository_sync (org_id, repository_id, run_id, status)
       select $1, wanted.id, $2, 'waiting' from unnest($3::uuid[]) as wanted (id) order by wanted.id
       on conflict (org_id, repository_id) do update set run_id = excluded.run_id, status = 'waiting', detail = null`,
      [tx.orgId, runId, repositoryIds],
    );
  }

  private async finishIfDone(tx: TenantTransaction): Promise<void> {
    const finished = await tx.query(
      `update sync_run set finished_at = $1
       where finished_at is null and listed_at is not null and not exists (
         select from repository_sync s join repository r on r.id = s.repository_id
         where s.run_id = sync_run.id and s.status = 'waiting' and r.removed_at is null)
       returning id`,
      [this.clock.now()],
    );
    if (finished.length === 0) return;
    await this.events.append(tx, { type: 'sync.completed' });
    await this.startNext(tx);
  }
}
