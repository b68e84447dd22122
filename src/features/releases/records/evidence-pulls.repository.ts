import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { gitBlobSha } from '../../../crypto/digests.js';
import type { TenantTransaction } from '../../../database/database.js';
import type { Sha } from '../../../domain/facts/facts.js';
import type { EvidencePullRecord, MergeApproval } from '../../../domain/review/evidence-pull.js';
import { DependentReleasesRepository } from '../facts/dependent-releases.repository.js';

/** The content of an evidence pull request that the service wrote. */
export interface PublishedEvidencePull extends Omit<EvidencePullRecord, 'mergeApproval'> {
  readonly releaseId: string;
  readonly repositoryId: string;
  readonly branch: string;
  readonly baseRef: string;
  readonly candidateSha: string;
  /** The result of `createPendingCommit` before the branch was moved. */
  readonly givenUp: readonly number[];
}

/** A commit that the service is about to write to the branch of a release's evidence pull request. */
export interface PendingCommit {
  readonly releaseId: string;
  readonly branch: string;
  readonly sha: Sha;
}

interface PublishedFile {
  readonly path: string;
  readonly content: string;
}

/** Matches no evidence set. While a pull request is rewritten, its content is unknown until it is recorded. */
const NO_SET = '';

/** Saves the evidence pull requests of releases and their files. */
@Injectable()
export class EvidencePullsRepository {
  constructor(private readonly pullStates: DependentReleasesRepository) {}

  /**
   * Records that the branch is about to move to the commit. Until the write is recorded, the pull request has no evidence set, so
   * no review approves it and it counts as outdated, regardless of the commit of the branch. Returns the numbers of the pull
   * requests that were abandoned before.
   */
  async createPendingCommit(
    tx: TenantTransaction,
    { releaseId, branch, sha }: PendingCommit,
    now: Date,
  ): Promise<readonly number[]> {
    await this.lock(tx, releaseId);
    const pulls = await tx.query<{ readonly number: number; readonly given_up: boolean }>(
      `update evidence_pull_request
       set commit_shas = case when commit_shas[cardinality(commit_shas)] = $3 then commit_shas else commit_shas || $3::text end,
         evidence_set_digest = $4, updated_at = $5
       where release_id = $1 and branch = $2 and merge_approval is null
       returning number, abandoned_at is not null as given_up`,
      [releaseId, branch, sha, NO_SET, now],
    );
    return pulls.filter(({ given_up: givenUp }) => givenUp).map(({ number }) => number);
  }

  /**
   * Stores the files of a pull request byte by byte, as proof of the approved content, and none of them twice. Returns the stored bytes. Each version lists all the evidence again, so versions count towards the storage limit.
   * Otherwise a series of small uploads could store without limit.
   */
  async saveFiles(
    tx: TenantTransaction,
    releaseId: string,
    files: readonly PublishedFile[],
    now: Date,
  ): Promise<number> {
    let storedBytes = 0;
    for (const { path, content } of files) {
      const stored = await tx.query(
        `insert into published_evidence (org_id, release_id, path, blob_sha, content, published_at)
         values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning path`,
        [tx.orgId, releaseId, path, gitBlobSha(content), content, now],
      );
      if (stored.length > 0) storedBytes += Buffer.byteLength(content);
    }
    return storedBytes;
  }

  /** Returns the last pending commit that is not recorded yet; null if no write is in progress. */
  async findAnnounced(tx: TenantTransaction, releaseId: string, branch: string): Promise<Sha | null> {
    const [row] = await tx.query<{ readonly sha: Sha }>(
      `select commit_shas[cardinality(commit_shas)] as sha from evidence_pull_request
       where release_id = $1 and branch = $2 and merge_approval is null and evidence_set_digest = $3
       order by opened_at desc, number desc limit 1`,
      [releaseId, branch, NO_SET],
    );
    return row?.sha ?? null;
  }

  /**
   * Records the content that the service wrote into the pull request, and updates a known pull request. An abandoned pull request
   * that was found open counts again. If it was abandoned during the write, a user closed it in the meantime and it stays
   * abandoned. The pull request belongs to the release of the last write: a milestone that is created again takes over the branch
   * of the deleted one. Returns false for a merged one, which does not change.
   */
  async record(tx: TenantTransaction, pull: PublishedEvidencePull, now: Date): Promise<boolean> {
    await this.lock(tx, pull.releaseId);
    const recorded = await tx.query(
      `insert into evidence_pull_request as known (org_id, id, release_id, repository_id, number, url, branch, base_ref, head_sha,
         commit_shas, files, candidate_sha, evidence_set_digest, opened_at, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, array[$9], $10, $11, $12, $13, $13)
       on conflict (org_id, repository_id, number) do update
       set release_id = excluded.release_id, head_sha = excluded.head_sha,
         commit_shas = case when excluded.head_sha = any(known.commit_shas) then known.commit_shas
           else known.commit_shas || excluded.commit_shas end,
         files = excluded.files, base_ref = excluded.base_ref,
         candidate_sha = excluded.candidate_sha, evidence_set_digest = excluded.evidence_set_digest, updated_at = excluded.updated_at,
         abandoned_at = case when known.number = any($14::integer[]) then null else known.abandoned_at end
       where known.merge_approval is null
       returning id`,
      [
        tx.orgId,
        randomUUID(),
        pull.releaseId,
        pull.repositoryId,
        pull.number,
        pull.url,
        pull.branch,
        pull.baseRef,
        pull.headSha,
        JSON.stringify(pull.files),
        pull.candidateSha,
        pull.setDigest,
        now,
        pull.givenUp,
      ],
    );
    if (recorded.length === 0) return false;
    await this.pullStates.updatePullState(tx, [pull.releaseId]);
    return true;
  }

  /** Records the approval at the merge. The first record is final. Returns its release; null if it was recorded before. */
  async recordMerge(
    tx: TenantTransaction,
    repositoryId: string,
    number: number,
    approval: MergeApproval,
  ): Promise<string | null> {
    const [merged] = await tx.query<{ readonly releaseId: string }>(
      `update evidence_pull_request set merge_approval = $3 where repository_id = $1 and number = $2 and merge_approval is null
       returning release_id as "releaseId"`,
      [repositoryId, number, JSON.stringify(approval)],
    );
    return merged?.releaseId ?? null;
  }

  /**
   * Marks a pull request that was closed without a merge as abandoned, so that another one is opened, and also older unmerged
   * ones, such as one into a former development branch.
   */
  async markAbandoned(tx: TenantTransaction, releaseId: string, number: number, now: Date): Promise<void> {
    await this.lock(tx, releaseId);
    await tx.query(
      `update evidence_pull_request set abandoned_at = $3, updated_at = $3
       where release_id = $1 and (number = $2 or merge_approval is null) and abandoned_at is null`,
      [releaseId, number, now],
    );
    await this.pullStates.updatePullState(tx, [releaseId]);
  }

  /** Counts the evidence pull requests of the release that were merged. */
  async countFinished(tx: TenantTransaction, releaseId: string): Promise<number> {
    const [row] = await tx.query<{ readonly count: string }>(
      `select count(*) from evidence_pull_request where release_id = $1 and merge_approval is not null`,
      [releaseId],
    );
    return Number(row?.count ?? 0);
  }

  /** Locks in the same order as an evaluation, which locks the release before it records a merge, to prevent a deadlock. */
  private async lock(tx: TenantTransaction, releaseId: string): Promise<void> {
    await tx.query(`select 1 from release where id = $1 for no key update`, [releaseId]);
  }
}
