import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../../database/database.js';
import type { Sha } from '../../../domain/facts/facts.js';
import type { TamperedFile } from '../../../domain/repository/tampering.js';

/** A branch as of its last check. */
interface SeenBranch {
  readonly branch: string;
  /** Releases without a branch of their own are built from it. */
  readonly trunk: boolean;
  readonly headSha: Sha;
  /** The managed files that it ever had. */
  readonly paths: readonly string[];
}

/** The stored state of the workflow files of a repository. */
export interface WatchState {
  /** The watched files. */
  readonly files: readonly string[];
  readonly branches: readonly SeenBranch[];
  readonly tampered: readonly TamperedFile[];
}

/** A branch with the commit at its head. */
export interface BranchHead {
  readonly branch: string;
  /** Releases without a branch of their own are built from it. */
  readonly trunk: boolean;
  readonly sha: Sha;
  readonly observedAt: Date;
}

/** The result of a check of one branch. */
export interface BranchCheck extends BranchHead {
  /** The managed files of the branch. */
  readonly present: readonly string[];
  /** Those of them that match a published revision. */
  readonly published: readonly string[];
  /** The watched files that were changed or removed. */
  readonly tampered: readonly string[];
}

/** The result of a check of a repository. */
export interface RepositoryCheck {
  readonly watched: readonly string[];
  /** All watched branches. */
  readonly heads: readonly BranchHead[];
  /** The checked branches: those that moved or had tampered files. */
  readonly branches: readonly BranchCheck[];
  /** The time of the first request to GitHub. */
  readonly startedAt: Date;
}

/** Facts may still show a branch as it was some pushes ago. Its checked heads need no new check. */
const MAX_INTACT_HEADS = 10;

interface SaveOptions {
  /** More files are watched than before, so checks of earlier commits do not cover them. */
  readonly watchesMore: boolean;
  readonly now: Date;
}

/** Stores the watched workflow files of repositories and the results of the checks. */
@Injectable()
export class WatchedFilesRepository {
  async find(tx: TenantTransaction, repositoryId: string): Promise<WatchState> {
    const of = [repositoryId];
    const files = await tx.queryPrepared<{ readonly path: string }>(
      'list_watched_files',
      'select path from watched_file where repository_id = $1',
      of,
    );
    const branches = await tx.queryPrepared<WatchState['branches'][number]>(
      'list_watched_branches',
      'select branch, trunk, head_sha as "headSha", paths from watched_branch where repository_id = $1',
      of,
    );
    const tampered = await tx.queryPrepared<TamperedFile>(
      'list_tampered_files',
      'select branch, path from tampered_file where repository_id = $1 order by path, branch',
      of,
    );
    return { files: files.map(({ path }) => path), branches, tampered };
  }

  /** Locks the state until the transaction ends. */
  async findForUpdate(tx: TenantTransaction, repositoryId: string): Promise<WatchState> {
    await tx.queryPrepared('lock_watched_repository', 'select from repository where id = $1 for no key update', [
      repositoryId,
    ]);
    return this.find(tx, repositoryId);
  }

  /** Saves a check branch by branch, unless a later one was saved, because two may run at the same time. */
  async save(
    tx: TenantTransaction,
    repositoryId: string,
    check: RepositoryCheck,
    { watchesMore, now }: SaveOptions,
  ): Promise<void> {
    await tx.queryPrepared(
      'watch_files',
      `insert into watched_file (org_id, repository_id, path, since)
       select $1, $2, path, $4 from unnest($3::text[]) as path on conflict do nothing`,
      [tx.orgId, repositoryId, check.watched, now],
    );
    await tx.query(
      // Tampered files of a deleted branch are deleted with it.
      'delete from watched_branch where repository_id = $1 and looked_at < $3 and branch <> all($2::text[])',
      [repositoryId, check.heads.map(({ branch }) => branch), check.startedAt],
    );
    for (const found of check.branches) {
      if (await this.saveBranch(tx, repositoryId, found, watchesMore))
        await this.saveTamperedFiles(tx, repositoryId, found, now);
    }
  }

  /** Returns false if a later check was saved, unless that check covered fewer files. */
  private async saveBranch(
    tx: TenantTransaction,
    repositoryId: string,
    { branch, trunk, sha, present, observedAt, tampered }: BranchCheck,
    watchesMore: boolean,
  ): Promise<boolean> {
    const saved = await tx.queryPrepared(
      'save_watched_branch',
      `insert into watched_branch as known (org_id, repository_id, branch, trunk, head_sha, paths, looked_at, intact_heads)
       values ($1, $2, $3, $4, $5, $6, $7, $8)
       on conflict (org_id, repository_id, branch) do update set trunk = excluded.trunk, head_sha = excluded.head_sha,
         intact_heads = (excluded.intact_heads
           || case when not $9 then array_remove(known.intact_heads, excluded.head_sha) end)[:${MAX_INTACT_HEADS}],
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
    return saved.length > 0;
  }

  private async saveTamperedFiles(
    tx: TenantTransaction,
    repositoryId: string,
    { branch, tampered }: BranchCheck,
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
