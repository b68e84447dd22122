import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { IsNull, LessThan } from 'typeorm';
import { Clock } from '../../config/clock.js';
import type { TenantTransaction } from '../../database/database.js';
import { SyncRunEntity } from '../../database/entities.js';

const HOUR_MS = 3_600_000;
/** A run that takes longer is ended. The next run does the remaining work. */
const LONGEST_MS = HOUR_MS;
const SYNC_RUN_RETENTION_MS = 7 * 24 * HOUR_MS;
const DETAIL_LENGTH = 500;

/** The result of a repository's sync. */
export type RepositoryOutcome = { readonly syncedAt: Date } | { readonly failure: string };

/** A run that starts after the current one. Null means the whole workspace. */
interface WaitingRun {
  readonly id: string;
  readonly repositoryIds: readonly string[] | null;
}

/** Stores the sync runs of workspaces. */
@Injectable()
export class SyncRunsRepository {
  constructor(private readonly clock: Clock) {}

  /** Locks the runs of the workspace until the transaction ends, and ends a run that takes too long. */
  async lock(tx: TenantTransaction): Promise<void> {
    await tx.query('select from organization for no key update');
    const now = this.clock.now();
    const overdue = { finishedAt: IsNull(), startedAt: LessThan(new Date(now.getTime() - LONGEST_MS)) };
    await tx.manager.update(SyncRunEntity, overdue, { finishedAt: now, failure: 'It did not end within an hour.' });
  }

  /** Returns the current run; null if there is none. */
  async findRunning(tx: TenantTransaction): Promise<string | null> {
    return (await tx.manager.findOneBy(SyncRunEntity, { finishedAt: IsNull() }))?.id ?? null;
  }

  /** Returns the last run that included the repository; null if there is none. */
  async findRunByRepository(tx: TenantTransaction, repositoryId: string): Promise<string | null> {
    const [sync] = await tx.query<{ readonly run: string | null }>(
      'select run_id as run from repository_sync where repository_id = $1',
      [repositoryId],
    );
    return sync?.run ?? null;
  }

  /** Inserts a current run and deletes old ones. */
  async create(tx: TenantTransaction, id: string): Promise<void> {
    const now = this.clock.now();
    await tx.manager.delete(SyncRunEntity, { startedAt: LessThan(new Date(now.getTime() - SYNC_RUN_RETENTION_MS)) });
    await tx.manager.insert(SyncRunEntity, { orgId: tx.orgId, id, startedAt: now });
  }

  /** Adds repositories to the waiting run, or creates it. Null means the whole workspace. Returns its id. */
  async addWaiting(tx: TenantTransaction, repositoryIds: readonly string[] | null): Promise<string> {
    const [row] = await tx.query<{ readonly id: string }>(
      `insert into sync_follow_up (org_id, id, repository_ids, asked_at) values ($1, $2, $3, $4)
       on conflict (org_id) do update set repository_ids = case
         when sync_follow_up.repository_ids is null or excluded.repository_ids is null then null
         else array(select unnest(sync_follow_up.repository_ids) union select unnest(excluded.repository_ids)) end
       returning id`,
      [tx.orgId, randomUUID(), repositoryIds, this.clock.now()],
    );
    if (!row) throw new Error('The requested sync run was not saved.');
    return row.id;
  }

  /** Deletes the waiting run and returns it; null if none waits. */
  async takeWaiting(tx: TenantTransaction): Promise<WaitingRun | null> {
    const [next] = await tx.query<WaitingRun>(
      `with taken as (delete from sync_follow_up returning id, repository_ids)
       select id, repository_ids as "repositoryIds" from taken`,
    );
    return next ?? null;
  }

  /** Lets the run wait for the repositories. */
  async addRepositories(tx: TenantTransaction, runId: string, repositoryIds: readonly string[]): Promise<void> {
    await tx.query(
      `insert into repository_sync (org_id, repository_id, run_id, status)
       select $1, wanted.id, $2, 'waiting' from unnest($3::uuid[]) as wanted (id) order by wanted.id
       on conflict (org_id, repository_id) do update set run_id = excluded.run_id, status = 'waiting', detail = null`,
      [tx.orgId, runId, repositoryIds],
    );
  }

  /** Marks the list of repositories as complete. */
  async markListed(tx: TenantTransaction, runId: string): Promise<void> {
    const unlisted = { id: runId, repositoriesListedAt: IsNull() };
    await tx.manager.update(SyncRunEntity, unlisted, { repositoriesListedAt: this.clock.now() });
  }

  /** Saves the result of a repository if its last run is the given one. Returns false if there is no such repository. */
  async setRepositoryResult(
    tx: TenantTransaction,
    repositoryId: string,
    run: string | null,
    outcome: RepositoryOutcome,
  ): Promise<boolean> {
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
    return noted.length > 0;
  }

  /** Ends the current run as failed. Returns false if there is none. */
  async markFailed(tx: TenantTransaction, failure: string): Promise<boolean> {
    const ended = { finishedAt: this.clock.now(), failure: failure.slice(0, DETAIL_LENGTH) };
    return (await tx.manager.update(SyncRunEntity, { finishedAt: IsNull() }, ended)).affected !== 0;
  }

  /** Ends the current run if its list is complete and it waits for no repository. Returns whether it ended. */
  async finishIfDone(tx: TenantTransaction): Promise<boolean> {
    const finished = await tx.query(
      `update sync_run set finished_at = $1
       where finished_at is null and listed_at is not null and not exists (
         select from repository_sync s join repository r on r.id = s.repository_id
         where s.run_id = sync_run.id and s.status = 'waiting' and r.removed_at is null)
       returning id`,
      [this.clock.now()],
    );
    return finished.length > 0;
  }
}
