import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import type { TenantTransaction } from '../../../database/database.js';
import { OrganizationEntity } from '../../../database/entities.js';
import type { Policy } from '../../../domain/policy/policy.js';
import type { ProtectionCheckResult, Protection } from '../../../domain/repository/ruleset.js';
import { type Repository, RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { WorkspacesQueries } from '../../../workspaces/workspaces.queries.js';
import { ObservationsRepository } from '../../releases/facts/observations.repository.js';

/** The stored state of a repository's branch protection. */
export interface ProtectionRecord extends Protection {
  /** The id of the attempt. */
  readonly attempt: string;
}

const DETAIL_LENGTH = 2_000;

const toDetail = ({ detail }: ProtectionCheckResult): string | null => detail?.slice(0, DETAIL_LENGTH) ?? null;

/** A repository whose branches are to be protected, with its policy and the permissions of the app. */
export interface ProtectionTask {
  readonly repository: Repository;
  readonly record: ProtectionRecord;
  /** Null if there is none or it is not valid. */
  readonly policy: Policy | null;
  /** The permissions of the app. */
  readonly grants: {
    readonly administers: boolean;
    /** Required for the check that the rulesets demand. */
    readonly publishesChecks: boolean;
  };
}

/** Stores the state of the branch protection of repositories. */
@Injectable()
export class BranchProtectionRepository {
  constructor(
    private readonly clock: Clock,
    private readonly repos: RepositoriesRepository,
    private readonly observations: ObservationsRepository,
    private readonly workspaces: WorkspacesQueries,
  ) {}

  /** Null if it was never requested. */
  async find(tx: TenantTransaction, repositoryId: string): Promise<ProtectionRecord | null> {
    const [row] = await tx.query<ProtectionRecord>(
      'select attempt, status, detail from repository_protection where repository_id = $1',
      [repositoryId],
    );
    return row ?? null;
  }

  /**
   * Starts an attempt. Returns false if one is already in progress, unless `repeat` is true. Of two concurrent calls the second
   * one finds the attempt of the first.
   */
  async start(tx: TenantTransaction, repositoryId: string, { repeat }: { readonly repeat: boolean }): Promise<boolean> {
    const begun = await tx.query(
      `insert into repository_protection as p (org_id, repository_id, attempt, status, changed_at)
       values ($1, $2, $3, 'pending', $4)
       on conflict (org_id, repository_id) do update
         set attempt = excluded.attempt, status = 'pending', detail = null, changed_at = excluded.changed_at
         where $5 or p.status <> 'pending'
       returning attempt`,
      [tx.orgId, repositoryId, randomUUID(), this.clock.now(), repeat],
    );
    return begun.length > 0;
  }

  /** Saves why the attempt is not complete yet. Returns false if it is not the current attempt or the text is unchanged. */
  async setDetail(tx: TenantTransaction, repositoryId: string, attempt: string, detail: string): Promise<boolean> {
    const explained = await tx.query(
      `update repository_protection set detail = $3
       where repository_id = $1 and attempt = $2 and status = 'pending' and detail is distinct from $3
       returning attempt`,
      [repositoryId, attempt, detail.slice(0, DETAIL_LENGTH)],
    );
    return explained.length > 0;
  }

  /** Completes the attempt. Returns false if it is not the current attempt. */
  async complete(
    tx: TenantTransaction,
    repositoryId: string,
    attempt: string,
    found: ProtectionCheckResult,
  ): Promise<boolean> {
    const completed = await tx.query(
      `update repository_protection set status = $3, detail = $4, changed_at = $5
       where repository_id = $1 and attempt = $2 and status = 'pending' returning attempt`,
      [repositoryId, attempt, found.status, toDetail(found), this.clock.now()],
    );
    return completed.length > 0;
  }

  /** Saves the result of a later check. Returns false if nothing changed or another attempt was started. */
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
      [repositoryId, attempt, found.status, toDetail(found), this.clock.now()],
    );
    return changed.length > 0;
  }

  /** Null if there is no such repository, or its protection was never requested. */
  async findTask(tx: TenantTransaction, repositoryId: string): Promise<ProtectionTask | null> {
    const repository = await this.repos.find(tx, repositoryId);
    const record = await this.find(tx, repositoryId);
    if (!repository || !record) return null;
    const { administers } = await this.workspaces.getPermissions(tx);
    const policy = await this.observations.find(tx, repositoryId);
    return { repository, record, policy, grants: { administers, publishesChecks: await this.publishesChecks(tx) } };
  }

  /** Assumed for an installation that was not read yet, like its other permissions. */
  private async publishesChecks(tx: TenantTransaction): Promise<boolean> {
    const granted = (await tx.manager.findOneBy(OrganizationEntity, { orgId: tx.orgId }))?.grantedPermissions ?? null;
    return granted === null || granted['checks'] === 'write';
  }
}
