import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../../database/database.js';
import type { MilestoneFact } from '../../../domain/facts/facts.js';

export interface KnownMilestone {
  readonly id: string;
  readonly version: string;
  readonly candidateSha: string | null;
  /** Whether GitHub reported the milestone as deleted. */
  readonly deleted: boolean;
}

/** Stores which milestones of a repository are releases, and why the others are not. */
@Injectable()
export class MilestonesRepository {
  async find(tx: TenantTransaction, repositoryId: string, githubId: number): Promise<KnownMilestone | null> {
    const [known] = await tx.query<KnownMilestone>(
      `select id, version, candidate_sha as "candidateSha", deleted_at is not null as deleted from release
       where repository_id = $1 and milestone_github_id = $2 for no key update`,
      [repositoryId, githubId],
    );
    return known ?? null;
  }

  async knows(tx: TenantTransaction, repositoryId: string, version: string): Promise<boolean> {
    const rows = await tx.query(
      `select 1 from release where repository_id = $1 and version = $2 and deleted_at is null`,
      [repositoryId, version],
    );
    return rows.length > 0;
  }

  /** Returns false if another transaction created the release first. */
  async create(
    tx: TenantTransaction,
    id: string,
    repositoryId: string,
    milestone: MilestoneFact,
    now: Date,
  ): Promise<boolean> {
    const rows = await tx.query(
      `insert into release (org_id, id, repository_id, version, milestone_github_id, milestone_number, title,
         milestone_url, due_on, created_at, updated_at)
       values ($1, $2, $3, $4, $5, $6, $4, $7, $8, $9, $9) on conflict do nothing returning id`,
      [
        tx.orgId,
        id,
        repositoryId,
        milestone.title,
        milestone.githubId,
        milestone.number,
        milestone.url,
        milestone.dueOn,
        now,
      ],
    );
    await this.deleteIgnored(tx, repositoryId, milestone);
    return rows.length > 0;
  }

  /**
   * Marks a release as not deleted. GitHub never reuses ids, so a milestone that it shows again was not deleted. Returns false if
   * another release has the version now.
   */
  async restore(
    tx: TenantTransaction,
    id: string,
    repositoryId: string,
    milestone: MilestoneFact,
    now: Date,
  ): Promise<boolean> {
    const rows = await tx.query(
      `update release r set deleted_at = null, title = $2, updated_at = $3 where r.id = $1 and not exists (
         select 1 from release other where other.repository_id = r.repository_id and other.version = r.version
           and other.deleted_at is null) returning id`,
      [id, milestone.title, now],
    );
    await this.deleteIgnored(tx, repositoryId, milestone);
    return rows.length > 0;
  }

  async update(tx: TenantTransaction, id: string, milestone: MilestoneFact, version: string, now: Date): Promise<void> {
    await tx.query(
      `update release set title = $2, version = $3, due_on = $4, milestone_url = $5, updated_at = $6
       where id = $1 and (title, version, due_on, milestone_url) is distinct from ($2, $3, $4::timestamptz, $5)`,
      [id, milestone.title, version, milestone.dueOn, milestone.url, now],
    );
  }

  async ignore(
    tx: TenantTransaction,
    repositoryId: string,
    milestone: MilestoneFact,
    reason: string,
    now: Date,
  ): Promise<void> {
    await tx.query(
      `insert into ignored_milestone (org_id, repository_id, milestone_github_id, number, title, reason, seen_at)
       values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (org_id, repository_id, milestone_github_id) do update
       set title = excluded.title, reason = excluded.reason, seen_at = excluded.seen_at`,
      [tx.orgId, repositoryId, milestone.githubId, milestone.number, milestone.title, reason, now],
    );
  }

  /** Lists the numbers of milestones that GitHub did not list, of releases that were known before the read. */
  async listMissing(
    tx: TenantTransaction,
    repositoryId: string,
    listed: readonly number[],
    readAt: Date,
  ): Promise<readonly number[]> {
    const rows = await tx.query<{ readonly milestone_number: number }>(
      `select milestone_number from release where repository_id = $1 and deleted_at is null
         and created_at < $3 and not milestone_github_id = any($2::bigint[])`,
      [repositoryId, listed, readAt],
    );
    return rows.map(({ milestone_number: number }) => number);
  }

  /** Deletes the reason why the milestone was ignored, because it belongs to a release now. */
  private async deleteIgnored(tx: TenantTransaction, repositoryId: string, { githubId }: MilestoneFact): Promise<void> {
    await tx.query(`delete from ignored_milestone where repository_id = $1 and milestone_github_id = $2`, [
      repositoryId,
      githubId,
    ]);
  }
}
