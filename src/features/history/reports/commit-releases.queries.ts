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

/** The release that a digest leads to. */
export interface DigestRelease {
  readonly releaseId: string;
  /** The candidate if the policy accepts the digest, else the commit for which it was stated last. */
  readonly sha: Sha;
  /** All commits of the digest. The equivalent commits of the candidate are among them if the policy accepts it. */
  readonly shas: readonly Sha[];
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

  /** Finds the release of a digest as the gate does, in the release of the version if one is given. Null if it is no artifact of it. */
  async findOfDigest(
    tx: TenantTransaction,
    repositoryId: string,
    { version, digest }: { readonly version: string | null; readonly digest: string },
  ): Promise<DigestRelease | null> {
    const [row] = await tx.query<DigestRelease>(
      `select r.id as "releaseId", case when is_accepted then r.candidate_sha else commits[1] end as sha,
         commits || case when is_accepted then r.candidate_shas else '{}' end as shas
       from release r
       cross join lateral (select $4 = any(r.accepted_digests) and r.candidate_sha is not null as is_accepted) accepted
       cross join lateral (
         select array_agg(a.commit_sha order by a.sequence desc) as commits from artifact a
         where a.release_id = r.id and a.digest = $4 and a.binding <> 'none') stated
       where r.id = find_release_of_digest($1, $2, $3, $4) and commits is not null`,
      [tx.orgId, repositoryId, version, digest],
    );
    return row ?? null;
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
