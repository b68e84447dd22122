import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import type { TenantTransaction } from '../../../database/database.js';
import type { Policy } from '../../../domain/policy/policy.js';
import type { ProtectionCheckResult, Protection } from '../../../domain/repository/ruleset.js';
import { type Repository, RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { InstallationPermissionsQueries } from '../../../workspaces/workspaces.queries.js';
import { ObservationsRepository } from '../../releases/facts/observations.repository.js';

/** What is stored of a repository's protection. */
export interface ProtectionRecord extends Protection {
  /** Names the asking that it is about. */
  readonly attempt: string;
}

const DETAIL_LENGTH = 2_000;

const detailOf = ({ detail }: ProtectionCheckResult): string | null => detail?.slice(0, DETAIL_LENGTH) ?? null;

/** What is known of a repository whose branches are to be protected. */
export interface ProtectionTask {
  readonly repository: Repository;
  readonly record: ProtectionRecord;
  /** Null where none was seen, or one that does not validate. */
  readonly policy: Policy | null;
  /** What the app was granted there. */
  readonly grants: {
    readonly administers: boolean;
    /** Without this the check that the rulesets ask for never comes. */
    readonly publishesChecks: boolean;
  };
}

/** What is known of the protection of repositories. Gathers what is known of a repository whose branches are to be protected. */
@Injectable()
export class BranchProtectionRepository {
  constructor(
    private readonly clock: Clock,
    private readonly repos: RepositoriesRepository,
    private readonly policies: ObservationsRepository,
    private readonly tiers: InstallationPermissionsQueries,
  ) {}

  /** Null where nobody has asked for it yet. */
  async find(tx: TenantTransaction, repositoryId: string): Promise<ProtectionRecord | null> {
    const [row] = await tx.query<ProtectionRecord>(
      'select attempt, status, detail from repository_protection where repository_id = $1',
      [repositoryId],
    );
    return row ?? null;
  }

  /**
   * Begins a new attempt. Where one is under way already that one goes on, unless `anew`; false then. Of two that begin one
   * at once the second one finds that of the first.
   */
  async start(tx: TenantTransaction, repositoryId: string, { anew }: { readonly anew: boolean }): Promise<boolean> {
    const begun = await tx.query(
      `insert into repository_protection as p (org_id, repository_id, attempt, status, changed_at)
       values ($1, $2, $3, 'pending', $4)
       on conflict (org_id, repository_id) do update
         set attempt = excluded.attempt, status = 'pending', detail = null, changed_at = excluded.changed_at
         where $5 or p.status <> 'pending'
       returning attempt`,
      [tx.orgId, repositoryId, randomUUID(), this.clock.now(), anew],
    );
    return begun.length > 0;
  }

  /** Says meanwhile why the attempt takes so long. False where it is not the one under way. */
  async setDetail(tx: TenantTransaction, repositoryId: string, attempt: string, detail: string): Promise<boolean> {
    const explained = await tx.query(
      `update repository_protection set detail = $3
       where repository_id = $1 and attempt = $2 and status = 'pending' and detail is distinct from $3
       returning attempt`,
      [repositoryId, attempt, detail.slice(0, DETAIL_LENGTH)],
    );
    return explained.length > 0;
  }

  /** Ends the attempt. False where it is not the one under way. */
  async complete(
    tx: TenantTransaction,
    repositoryId: string,
    attempt: string,
    found: ProtectionCheckResult,
  ): Promise<boolean> {
    const completed = await tx.query(
      `update repository_protection set status = $3, detail = $4, changed_at = $5
       where repository_id = $1 and attempt = $2 and status = 'pending' returning attempt`,
      [repositoryId, attempt, found.status, detailOf(found), this.clock.now()],
    );
    return completed.length > 0;
  }

  /** Writes down what a look found after that attempt had ended. False where it is as it was, or another one began. */
  async observe(
    tx: TenantTransaction,
    repositoryId: string,
    attempt: string,
    found: ProtectionCheckResult,
  ): Promise<boolean> {
    const changed = await tx.query(
      `update repository_protection set status = $3, detail = $4,
         changed_at = case when status = $3 then changed_at else $5 end
       where repository_id = $1 and attempt = $2 and status <> 'pending'
         and (status, detail) is distinct from ($3, $4)
       returning attempt`,
      [repositoryId, attempt, found.status, detailOf(found), this.clock.now()],
    );
    return changed.length > 0;
  }

  /** Null where there is no such repository, or nobody has asked for its protection. */
  async findTask(tx: TenantTransaction, repositoryId: string): Promise<ProtectionTask | null> {
    const repository = await this.repos.find(tx, repositoryId);
    const record = await this.find(tx, repositoryId);
    if (!repository || !record) return null;
    const { administers } = await this.tiers.get(tx);
    const policy = await this.policies.find(tx, repositoryId);
    return { repository, record, policy, grants: { administers, publishesChecks: await this.publishesChecks(tx) } };
  }

  /** Expected of an installation that was not read yet, as its tier is. */
  private async publishesChecks(tx: TenantTransaction): Promise<boolean> {
    const [row] = await tx.query<{ readonly publishes: boolean }>(
      `select granted_permissions is null or coalesce(granted_permissions ->> 'checks', '') = 'write' as publishes
       from organization`,
    );
    return row?.publishes ?? true;
  }
}
