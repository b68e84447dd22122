import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../../database/database.js';
import type { AppIssue } from '../../../github/api/app-issues.js';

/** A branch on which a managed file was changed. */
export interface TamperedBranch {
  readonly branch: string;
  readonly since: Date;
}

/** An issue on GitHub as it was last written. */
export interface PublishedIssue {
  /** Null if an attempt to open it started and its result is unknown. */
  readonly opened: AppIssue | null;
  /** A digest of its content; null if it is not known. */
  readonly contentDigest: string | null;
}

/** The tampered branches of a file and its issue. */
export interface FileTampering {
  readonly branches: readonly TamperedBranch[];
  /** Null if no issue is open. */
  readonly issue: PublishedIssue | null;
}

/** Stores the open issues about tampered files, one per file. */
@Injectable()
export class TamperingIssuesRepository {
  async find(tx: TenantTransaction, repositoryId: string, path: string): Promise<FileTampering> {
    const of = [repositoryId, path];
    const branches = await tx.query<TamperedBranch>(
      'select branch, since from tampered_file where repository_id = $1 and path = $2 order by branch',
      of,
    );
    const [issue] = await tx.query<PublishedIssue>(
      `select case when number is not null and url is not null then jsonb_build_object('number', number, 'url', url) end
         as opened, told as "contentDigest"
       from tampering_issue where repository_id = $1 and path = $2`,
      of,
    );
    return { branches, issue: issue ?? null };
  }

  async save(
    tx: TenantTransaction,
    repositoryId: string,
    path: string,
    { opened, contentDigest }: PublishedIssue,
  ): Promise<void> {
    await tx.query(
      `insert into tampering_issue (org_id, repository_id, path, number, url, told) values ($1, $2, $3, $4, $5, $6)
       on conflict (org_id, repository_id, path) do update set number = excluded.number, url = excluded.url,
         told = excluded.told`,
      [tx.orgId, repositoryId, path, opened?.number ?? null, opened?.url ?? null, contentDigest],
    );
  }

  async delete(tx: TenantTransaction, repositoryId: string, path: string): Promise<void> {
    await tx.query('delete from tampering_issue where repository_id = $1 and path = $2', [repositoryId, path]);
  }
}
