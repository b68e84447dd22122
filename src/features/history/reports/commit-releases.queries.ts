import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../../database/database.js';
import type { Sha } from '../../../domain/facts/facts.js';

/** A release with a candidate or a shipped commit. */
export interface CommitRelease {
  readonly id: string;
  readonly version: string;
  readonly candidateSha: Sha;
  readonly candidateShas: readonly Sha[];
  readonly isShipped: boolean;
}

/** The releases of a repository; only one of them if `releaseId` is given. */
interface Releases {
  readonly repositoryId: string;
  readonly releaseId: string | null;
}

/** Reads the releases that a commit may belong to. */
@Injectable()
export class CommitReleasesQueries {
  /** Lists the releases with a candidate, those that are not shipped first, then the one that was shipped last. */
  async list(tx: TenantTransaction, { repositoryId, releaseId }: Releases): Promise<readonly CommitRelease[]> {
    return tx.query<CommitRelease>(
      `select id, version, candidate_sha as "candidateSha", candidate_shas as "candidateShas",
         shipped_at is not null as "isShipped"
       from release where repository_id = $1 and ($2::uuid is null or id = $2) and candidate_sha is not null
         and deleted_at is null
       order by shipped_at desc nulls first, updated_at desc, id`,
      [repositoryId, releaseId],
    );
  }

  /**
   * Lists the releases whose verdict has expired, those that changed last first. Cancelled ones are left out, and shipped ones unless they
   * are named or have shipped the commit.
   */
  async listStale(
    tx: TenantTransaction,
    { repositoryId, releaseId, sha }: Releases & { readonly sha: Sha | null },
    now: Date,
    limit: number,
  ): Promise<readonly string[]> {
    const rows = await tx.query<{ readonly id: string }>(
      `select id from release where repository_id = $1 and ($2::uuid is null or id = $2) and valid_until <= $3
         and (shipped_at is null or id = $2 or $4 = any(candidate_shas)) and deleted_at is null and cancelled_at is null
       order by updated_at desc, id limit $5`,
      [repositoryId, releaseId, now, sha, limit],
    );
    return rows.map(({ id }) => id);
  }
}
