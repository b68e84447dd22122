import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../../database/database.js';
import type { TamperedFile } from '../../../domain/repository/file-integrity.js';
import type { BranchLook, RepositoryLook, WatchState } from './watch-state.js';

interface BranchRow {
  readonly branch: string;
  readonly trunk: boolean;
  readonly head_sha: string;
  readonly paths: readonly string[];
}

/** Others may know a branch yet as it was some pushes ago, and need not wait for that to be looked at again. */
const INTACT_HEADS_KEPT = 10;

interface Keeping {
  /** Files are watched that were not before: what was found of earlier commits says nothing of them. */
  readonly watchesMore: boolean;
  readonly now: Date;
}

/** The rows of what is watched in repositories, and of what was found there. */
@Injectable()
export class WatchStateRepository {
  async find(tx: TenantTx, repositoryId: string): Promise<WatchState> {
    const of = [repositoryId];
    const files = await tx.prepared<{ readonly path: string }>(
      'list_watched_files',
      'select path from watched_file where repository_id = $1',
      of,
    );
    const branches = await tx.prepared<BranchRow>(
      'list_watched_branches',
      'select branch, trunk, head_sha, paths from watched_branch where repository_id = $1',
      of,
    );
    const tampered = await tx.prepared<TamperedFile>(
      'list_tampered_files',
      'select branch, path from tampered_file where repository_id = $1 order by path, branch',
      of,
    );
    return {
      files: files.map(({ path }) => path),
      branches: branches.map(({ branch, trunk, head_sha: headSha, paths }) => ({ branch, trunk, headSha, paths })),
      tampered,
    };
  }

  /** The same; nobody else writes any of it until the transaction ends. */
  async findForUpdate(tx: TenantTx, repositoryId: string): Promise<WatchState> {
    await tx.prepared('lock_watched_repository', 'select from repository where id = $1 for no key update', [
      repositoryId,
    ]);
    return this.find(tx, repositoryId);
  }

  /** Keeps a look, branch by branch, unless a later one is there already: two may be under way at once. */
  async keep(tx: TenantTx, repositoryId: string, look: RepositoryLook, { watchesMore, now }: Keeping): Promise<void> {
    await tx.prepared(
      'watch_files',
      `insert into watched_file (org_id, repository_id, path, since)
       select $1, $2, path, $4 from unnest($3::text[]) as path on conflict do nothing`,
      [tx.orgId, repositoryId, look.watched, now],
    );
    await tx.query(
      // What was flagged on a branch goes with it: nobody releases from it any more.
      'delete from watched_branch where repository_id = $1 and looked_at < $3 and branch <> all($2::text[])',
      [repositoryId, look.heads.map(({ branch }) => branch), look.askedAt],
    );
    for (const found of look.looks) {
      if (await this.keepBranch(tx, repositoryId, found, watchesMore))
        await this.keepFlags(tx, repositoryId, found, now);
    }
  }

  /** False where the branch was looked at later than this, unless that look left files out which this one tells of. */
  private async keepBranch(
    tx: TenantTx,
    repositoryId: string,
    { branch, trunk, sha, present, observedAt, tampered }: BranchLook,
    watchesMore: boolean,
  ): Promise<boolean> {
    const kept = await tx.prepared(
      'keep_watched_branch',
      `insert into watched_branch as known (org_id, repository_id, branch, trunk, head_sha, paths, looked_at, intact_heads)
       values ($1, $2, $3, $4, $5, $6, $7, $8)
       on conflict (org_id, repository_id, branch) do update set trunk = excluded.trunk, head_sha = excluded.head_sha,
         intact_heads = (excluded.intact_heads
           || case when not $9 then array_remove(known.intact_heads, excluded.head_sha) end)[:${INTACT_HEADS_KEPT}],
         paths = array(select distinct path from unnest(known.paths || excluded.paths) as path order by path),
         looked_at = excluded.looked_at
       where known.looked_at < excluded.looked_at or $9 returning branch`,
      [
        tx.orgId,
        repositoryId,
        branch,
        trunk,
        sha,
        present,
        observedAt,
        tampered.length === 0 ? [sha] : [],
        watchesMore,
      ],
    );
    return kept.length > 0;
  }

  private async keepFlags(
    tx: TenantTx,
    repositoryId: string,
    { branch, tampered }: BranchLook,
    now: Date,
  ): Promise<void> {
    await tx.query('delete from tampered_file where repository_id = $1 and branch = $2 and path <> all($3::text[])', [
      repositoryId,
      branch,
      tampered,
    ]);
    await tx.query(
      `insert into tampered_file (org_id, repository_id, branch, path, since)
       select $1, $2, $3, path, $5 from unnest($4::text[]) as path on conflict do nothing`,
      [tx.orgId, repositoryId, branch, tampered, now],
    );
  }
}
