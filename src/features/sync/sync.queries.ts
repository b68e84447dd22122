import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../database/database.js';
import { SyncRunEntity } from '../../database/entities.js';
import type { IgnoredMilestoneDto, RepositorySyncDto, SyncStatus, SyncStatusDto } from './sync.dto.js';

interface RepositorySyncState extends RepositorySyncDto {
  readonly syncedAt: Date | null;
}

/** The sync status of a workspace. */
export interface SyncState extends Omit<SyncStatusDto, 'detail' | 'repos'> {
  /** Why the installation could not be read. */
  readonly failure: string | null;
  readonly repos: readonly RepositorySyncState[];
}

/** Reads the sync status of the repositories that the transaction can see. */
@Injectable()
export class SyncQueries {
  async read(tx: TenantTransaction): Promise<SyncState> {
    const run = await tx.manager.findOne(SyncRunEntity, { where: {}, order: { number: 'desc' } });
    const [next] = await tx.query<{ readonly id: string }>('select id from sync_follow_up');
    const repos = await this.listRepositories(tx);
    return {
      status: toStatus(run, repos),
      syncId: run?.id ?? null,
      nextSyncId: next?.id ?? null,
      failure: run?.failure ?? null,
      lastSyncedAt: findOldest(repos) ?? (repos.length === 0 && run?.failure === null ? run.finishedAt : null),
      repos,
      ignored: await tx.query<IgnoredMilestoneDto>(
        `select r.id as "repoId", r.name as repo, i.number, i.title, i.reason
         from ignored_milestone i join repository r on r.id = i.repository_id
         where r.removed_at is null order by r.lower_name, r.id, i.number`,
      ),
      deadLetters: await this.countDeadLetters(tx),
    };
  }

  private async listRepositories(tx: TenantTransaction): Promise<readonly RepositorySyncState[]> {
    return tx.query<RepositorySyncState>(
      `select r.id as "repoId", r.name as repo, coalesce(s.status, 'never') as status, s.detail, s.synced_at as "syncedAt"
       from repository r left join repository_sync s on s.repository_id = r.id
       where r.removed_at is null order by r.lower_name, r.id`,
    );
  }

  private async countDeadLetters(tx: TenantTransaction): Promise<number> {
    const [row] = await tx.query<{ readonly deliveries: string }>(
      `select coalesce(sum(d.deliveries), 0) as deliveries
       from organization o cross join lateral count_dead_letters(o.installation_id) d
       where d.repository_github_id is null or d.repository_github_id in (select r.github_id from repository r)`,
    );
    return Number(row?.deliveries ?? 0);
  }
}

function toStatus(run: SyncRunEntity | null, repos: readonly RepositorySyncState[]): SyncStatus {
  if (!run) return 'never';
  if (run.finishedAt === null) return 'running';
  return run.failure !== null || repos.some(({ status }) => status === 'failed') ? 'failed' : 'completed';
}

function findOldest(repos: readonly RepositorySyncState[]): Date | null {
  const times = repos.map(({ syncedAt }) => syncedAt?.getTime() ?? 0);
  const oldest = Math.min(...times);
  return times.length === 0 || oldest === 0 ? null : new Date(oldest);
}
