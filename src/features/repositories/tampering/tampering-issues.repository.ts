import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../../database/database.js';
import type { AppIssue } from '../../../github/api/app-issues.js';
import type { TamperedBranch } from './tampering-issue-text.js';

/** An issue on GitHub as it was last written. */
export interface PublishedIssue {
  /** Null if an attempt to open it started and its result is unknown. */
  readonly opened: AppIssue | null;
  /** A digest of its content; null if it is not known. */
  readonly contentDigest: string | null;
}

interface IssueRow {
  readonly number: number | null;
  readonly url: string | null;
  readonly told: string | null;
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
    const [row] = await tx.query<IssueRow>(
      'select number, url, told from tampering_issue where repository_id = $1 and path = $2',
      of,
    );
    return { branches, issue: row ? toPublishedIssue(row) : null };
  }

  async save(
    tx: TenantTransaction,
    repositoryId: string,
    path: string,
    { opened, contentDigest: told }: PublishedIssue,
  ): Promise<void> {
    await tx.query(
      `insert into tampering_issue (org_id, repository_id, path, number, url, told) values ($1, $2, $3, $4, $5, $6)
       on conflict (org_id, repository_id, path) do update set number = excluded.number, url = excluded.url,
         told = excluded.told`,
      [tx.orgId, repositoryId, path, opened?.number ?? null, opened?.url ?? null, told],
    );
  }

  async delete(tx: TenantTransaction, repositoryId: string, path: string): Promise<void> {
    await tx.query('delete from tampering_issue where repository_id = $1 and path = $2', [repositoryId, path]);
  }
}

const toPublishedIssue = ({ number, url, told }: IssueRow): PublishedIssue => ({
  opened: number === null || url === null ? null : { number, url },
  contentDigest: told,
});
