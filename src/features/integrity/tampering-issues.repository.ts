import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import type { OwnIssue } from '../../github/own-issues.js';
import type { TamperedBranch } from './tampering-issue.js';

/** An issue as it was written last. */
export interface ToldIssue extends OwnIssue {
  /** A digest of what it says. */
  readonly told: string;
}

/** What there is to tell of one file, and what was told. */
export interface FileTampering {
  readonly branches: readonly TamperedBranch[];
  /** Null where no issue is open. */
  readonly issue: ToldIssue | null;
}

/** The rows of the issues that tell of changed files: one a file, as long as it is open. */
@Injectable()
export class TamperingIssuesRepository {
  async find(tx: TenantTx, repositoryId: string, path: string): Promise<FileTampering> {
    const of = [repositoryId, path];
    const branches = await tx.query<TamperedBranch>(
      'select branch, since from tampered_file where repository_id = $1 and path = $2 order by branch',
      of,
    );
    const [issue] = await tx.query<ToldIssue>(
      'select number, url, told from tampering_issue where repository_id = $1 and path = $2',
      of,
    );
    return { branches, issue: issue ?? null };
  }

  async put(tx: TenantTx, repositoryId: string, path: string, { number, url, told }: ToldIssue): Promise<void> {
    await tx.query(
      `insert into tampering_issue (org_id, repository_id, path, number, url, told) values ($1, $2, $3, $4, $5, $6)
       on conflict (org_id, repository_id, path) do update set number = excluded.number, url = excluded.url,
         told = excluded.told`,
      [tx.orgId, repositoryId, path, number, url, told],
    );
  }

  async delete(tx: TenantTx, repositoryId: string, path: string): Promise<void> {
    await tx.query('delete from tampering_issue where repository_id = $1 and path = $2', [repositoryId, path]);
  }
}
