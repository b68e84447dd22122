import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import type { TenantTransaction } from '../../database/database.js';
import { OrganizationEntity } from '../../database/entities.js';
import { DEFAULT_POLICY_REPOSITORY } from '../../domain/repository/managed-files.js';
import type { Installation } from '../../github/api/installations.js';
import type { GitHubRepository } from '../../github/api/repository-calls.js';

/** A repository of the installation. */
export interface SyncedRepository {
  readonly id: string;
  /** Whether it is new, was added again, or changed its name, visibility or default branch. */
  readonly changed: boolean;
}

/** The state of a workspace's installation; `none` if there is none. */
export type InstallationState = 'live' | 'suspended' | 'none';

/** Stores workspaces and the repositories of their installations. */
@Injectable()
export class InstallationsRepository {
  /**
   * Whether the installation, its suspension or its permissions differ from the stored ones. False if nothing is stored.
   */
  async isOther(tx: TenantTransaction, { id, suspendedAt, permissions }: Installation): Promise<boolean> {
    const rows = await tx.query(
      `select from organization where installation_id is distinct from $1 or suspended_at is distinct from $2
         or granted_permissions is distinct from $3::jsonb`,
      [id, suspendedAt, JSON.stringify(permissions)],
    );
    return rows.length > 0;
  }

  /** Saves the installation of the workspace. Inserts only the tenant of the transaction. */
  async upsertOrganization(tx: TenantTransaction, installation: Installation, now: Date): Promise<void> {
    await tx.query(
      `insert into organization (org_id, github_id, login, installation_id, suspended_at, granted_permissions, created_at)
       values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (org_id) do update set login = excluded.login, installation_id = excluded.installation_id,
         suspended_at = excluded.suspended_at, granted_permissions = excluded.granted_permissions`,
      [
        tx.orgId,
        installation.accountId,
        installation.accountLogin,
        installation.id,
        installation.suspendedAt,
        JSON.stringify(installation.permissions),
        now,
      ],
    );
  }

  /**
   * Removes the uninstalled app, so that no gate opens. Returns the organization's login; null if the workspace did not have
   * the installation any more.
   */
  async uninstall(tx: TenantTransaction, installationId: number): Promise<string | null> {
    const removed = { installationId: null };
    const { raw } = await tx.manager.update(OrganizationEntity, { installationId }, removed, { returning: ['login'] });
    return (raw as readonly OrganizationEntity[])[0]?.login ?? null;
  }

  /** Returns the installation; null if it is missing or suspended. */
  async findActiveInstallation(tx: TenantTransaction): Promise<number | null> {
    const organization = await tx.manager.findOneBy(OrganizationEntity, { orgId: tx.orgId, suspendedAt: IsNull() });
    return organization?.installationId ?? null;
  }

  /** Lists the removed repositories that the installation has again. */
  async listReturned(tx: TenantTransaction, reached: readonly GitHubRepository[]): Promise<readonly string[]> {
    const rows = await tx.query<{ readonly id: string }>(
      'select id from repository where removed_at is not null and github_id = any($1::bigint[]) order by id',
      [reached.map(({ id }) => id)],
    );
    return rows.map(({ id }) => id);
  }

  /** Reconciles the stored repositories with those of the installation. Returns the latter, and the ids of the removed ones. */
  async replaceRepositories(
    tx: TenantTransaction,
    reached: readonly GitHubRepository[],
    now: Date,
  ): Promise<{ readonly repositories: readonly SyncedRepository[]; readonly removed: readonly string[] }> {
    const repositories: SyncedRepository[] = [];
    for (const repository of [...reached].sort((a, b) => a.id - b.id)) {
      const [row] = await tx.queryPrepared<SyncedRepository>(
        'save_repository',
        `with before as (
           select name, private, default_branch, removed_at from repository where github_id = $3)
         insert into repository (org_id, id, github_id, name, private, default_branch, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $7)
         on conflict (org_id, github_id) do update set name = excluded.name, private = excluded.private,
           default_branch = excluded.default_branch, removed_at = null, updated_at = excluded.updated_at
         returning id, not exists (select from before where (name, private, default_branch) = ($4, $5, $6)
           and removed_at is null) as changed`,
        [tx.orgId, randomUUID(), repository.id, repository.name, repository.private, repository.defaultBranch, now],
      );
      if (row) repositories.push(row);
    }
    const removed = await tx.query<{ readonly id: string }>(
      // Its place in the quota is released. It reserves a new one if it is added again.
      `update repository set removed_at = $2, managed_at = null, updated_at = $2
       where removed_at is null and not id = any($1::uuid[]) returning id`,
      [repositories.map(({ id }) => id), now],
    );
    return { repositories, removed: removed.map(({ id }) => id) };
  }

  /** Identifies the source of the organization default; empty if there is none. */
  async findOrganizationDefault(tx: TenantTransaction): Promise<string> {
    const rows = await tx.query<{ readonly place: string }>(
      `select github_id || ':' || default_branch as place from repository
       where lower_name = '${DEFAULT_POLICY_REPOSITORY}' and removed_at is null order by github_id`,
    );
    return rows.map(({ place }) => place).join(' ');
  }

  /** Returns the stored state and locks it until the transaction ends. */
  async lockState(tx: TenantTransaction): Promise<InstallationState> {
    const [row] = await tx.query<{ readonly state: InstallationState }>(
      `select case when installation_id is null then 'none' when suspended_at is null then 'live' else 'suspended' end
         as state from organization for no key update`,
    );
    return row?.state ?? 'none';
  }
}
