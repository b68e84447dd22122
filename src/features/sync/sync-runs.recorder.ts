import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import type { TenantTx } from '../../database/database.js';
import { EventsRecorder } from '../events/events.recorder.js';

const HOUR_MS = 3_600_000;
/** A run that takes longer is waited for by nobody: what it left to do is done by the next one. */
const LONGEST_MS = HOUR_MS;
const KEPT_MS = 7 * 24 * HOUR_MS;
const DETAIL_LENGTH = 500;

export interface BegunRun {
  readonly id: string;
  /** False where a run was under way, which then stands for the one that was asked for. */
  readonly isNew: boolean;
}

/** What became of the reading of one repository; a failure says why. */
export type RepositoryOutcome = { readonly syncedAt: Date } | { readonly failure: string };

/** The runs that bring a workspace in line with the code host: one at a time, whoever asks for it and wherever it runs. */
@Injectable()
export class SyncRuns {
  constructor(
    private readonly events: EventsRecorder,
    private readonly clock: Clock,
  ) {}

  async begin(tx: TenantTx): Promise<BegunRun> {
    const now = this.clock.now();
    // Of two that begin one at once the second one finds the run of the first.
    await tx.query('select from organization for no key update');
    await tx.query(
      `update sync_run set finished_at = $1, failure = 'It did not end within an hour.'
       where finished_at is null and begun_at < $2`,
      [now, new Date(now.getTime() - LONGEST_MS)],
    );
    const [underWay] = await tx.query<{ readonly id: string }>('select id from sync_run where finished_at is null');
    if (underWay) return { id: underWay.id, isNew: false };
    await tx.query('delete from sync_run where begun_at < $1', [new Date(now.getTime() - KEPT_MS)]);
    const id = randomUUID();
    await tx.query('insert into sync_run (org_id, id, begun_at) values ($1, $2, $3)', [tx.orgId, id, now]);
    await this.events.emit(tx, { type: 'sync.started' });
    return { id, isNew: true };
  }

  /** Which repositories the run is about, beside those that it was about before; with none it is at its end. */
  async list(tx: TenantTx, runId: string, repositoryIds: readonly string[]): Promise<void> {
    await this.expect(tx, runId, repositoryIds);
    await tx.query('update sync_run set listed_at = coalesce(listed_at, $2) where id = $1', [runId, this.clock.now()]);
    await this.finishIfDone(tx);
  }

  /** Has these read within the run that is under way, which may have its own list yet to come; else in one of their own. */
  async join(tx: TenantTx, repositoryIds: readonly string[]): Promise<void> {
    if (repositoryIds.length > 0) {
      const run = await this.begin(tx);
      if (run.isNew) return this.list(tx, run.id, repositoryIds);
      await this.expect(tx, run.id, repositoryIds);
    }
    // A repository that the run waited for may be gone.
    await this.finishIfDone(tx);
  }

  /** Notes what became of a repository, and ends the run with its last one. */
  async note(tx: TenantTx, repositoryId: string, outcome: RepositoryOutcome): Promise<void> {
    // Of two that end at once each would take the other for waiting still.
    await tx.query('select from sync_run where finished_at is null for update');
    const failure = 'failure' in outcome ? outcome.failure.slice(0, DETAIL_LENGTH) : null;
    const noted = await tx.query(
      `insert into repository_sync (org_id, repository_id, status, detail, synced_at)
       select $1, r.id, $3, $4, $5 from repository r where r.id = $2
       on conflict (org_id, repository_id) do update set status = excluded.status, detail = excluded.detail,
         synced_at = coalesce(excluded.synced_at, repository_sync.synced_at)
       returning repository_id`,
      [
        tx.orgId,
        repositoryId,
        failure === null ? 'done' : 'failed',
        failure,
        'syncedAt' in outcome ? outcome.syncedAt : null,
      ],
    );
    if (noted.length > 0) await this.events.emit(tx, { type: 'sync.progress', repositoryId });
    await this.finishIfDone(tx);
  }

  /** Ends the run that is under way, if one is, because the installation itself cannot be read. */
  async fail(tx: TenantTx, failure: string): Promise<void> {
    const failed = await tx.query(
      'update sync_run set finished_at = $1, failure = $2 where finished_at is null returning id',
      [this.clock.now(), failure.slice(0, DETAIL_LENGTH)],
    );
    if (failed.length > 0) await this.events.emit(tx, { type: 'sync.failed' });
  }

  private async expect(tx: TenantTx, runId: string, repositoryIds: readonly string[]): Promise<void> {
    await tx.query(
      `insert into repository_sync (org_id, repository_id, run_id, status)
       select $1, wanted.id, $2, 'waiting' from unnest($3::uuid[]) as wanted (id) order by wanted.id
       on conflict (org_id, repository_id) do update set run_id = excluded.run_id, status = 'waiting', detail = null`,
      [tx.orgId, runId, repositoryIds],
    );
  }

  private async finishIfDone(tx: TenantTx): Promise<void> {
    const finished = await tx.query(
      `update sync_run set finished_at = $1
       where finished_at is null and listed_at is not null and not exists (
         select from repository_sync s join repository r on r.id = s.repository_id
         where s.run_id = sync_run.id and s.status = 'waiting' and r.removed_at is null)
       returning id`,
      [this.clock.now()],
    );
    if (finished.length > 0) await this.events.emit(tx, { type: 'sync.completed' });
  }
}
