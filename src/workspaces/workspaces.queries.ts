import { Injectable } from '@nestjs/common';
import { Database, type TenantTransaction } from '../database/database.js';
import type { OrgId } from '../database/ids.js';

/** The workspace of an organization with an active installation of the app. */
export interface AuditedWorkspace {
  readonly orgId: OrgId;
  /** The last known login of the organization. A later organization may have the same one. */
  readonly login: string;
}

export interface InstalledWorkspace extends AuditedWorkspace {
  readonly installationId: number;
}

/** The GitHub organization of a workspace. */
export interface WorkspaceOrganization {
  readonly githubId: number;
  /** The organization's login. */
  readonly login: string;
  /** Null while the app is uninstalled or suspended. */
  readonly installationId: number | null;
}

/** The optional permissions of an installation of the app. */
export interface InstallationPermissions {
  /** `minimal`: some actions need a user's own token. */
  readonly name: 'full' | 'minimal';
  readonly writesWorkflows: boolean;
  readonly administers: boolean;
  /** Whether the app may send verdicts about deployments that wait for its protection rule. */
  readonly decidesDeployments: boolean;
  /** Whether the app may look for the attestations of a digest. */
  readonly readsAttestations: boolean;
}

/**
 * Finds workspaces by their GitHub names and ids before the tenant is known, and reads the organization and the
 * installation of a transaction's workspace. Includes every workspace that ever existed, because the audit log outlives the installation
 * of the app.
 */
@Injectable()
export class WorkspacesQueries {
  constructor(private readonly database: Database) {}

  /** Returns the workspace of the organization with this GitHub id, for any login. Null if there is none. */
  async findByOwner(ownerGithubId: number): Promise<OrgId | null> {
    const [row] = await this.database.queryWithoutTenant<{ readonly org_id: OrgId }>(
      'find_organization_by_owner',
      'select org_id from find_organization_by_owner($1)',
      [ownerGithubId],
    );
    return row?.org_id ?? null;
  }

  /** Returns the workspace of an installation. Null if there is none yet. */
  async findByInstallation(installationId: number): Promise<OrgId | null> {
    const [row] = await this.database.queryWithoutTenant<{ readonly org_id: OrgId }>(
      'find_organization_by_installation',
      'select org_id from find_organization_by_installation($1)',
      [installationId],
    );
    return row?.org_id ?? null;
  }

  async listInstalled(): Promise<readonly InstalledWorkspace[]> {
    return this.database.queryWithoutTenant<InstalledWorkspace>(
      'list_installed_organizations',
      'select org_id as "orgId", login, installation_id::float8 as "installationId" from list_installed_organizations()',
      [],
    );
  }

  /** Sorted by login. */
  async list(): Promise<readonly AuditedWorkspace[]> {
    return this.database.queryWithoutTenant<AuditedWorkspace>(
      'list_organizations',
      'select org_id as "orgId", login from list_organizations()',
      [],
    );
  }

  /** Returns null if the workspace does not exist. */
  async find(tx: TenantTransaction): Promise<WorkspaceOrganization | null> {
    const [organization] = await tx.query<WorkspaceOrganization>(
      `select github_id::float8 as "githubId", login,
         case when suspended_at is null then installation_id::float8 end as "installationId" from organization`,
    );
    return organization ?? null;
  }

  /** Returns true if the user with this GitHub id is in no workspace but may be in one within seconds. */
  async isFirstSyncPending(userId: number): Promise<boolean> {
    const [row] = await this.database.queryWithoutTenant<{ readonly isFirstSyncPending: boolean }>(
      'is_first_sync_pending',
      `select not exists (select from list_workspaces_by_user($1)) and exists (
         select from graphile_worker.jobs
         where task_identifier in ('find-installations', 'add-signed-in-users', 'admit-signed-in') and attempts < max_attempts)
         as "isFirstSyncPending"`,
      [userId],
    );
    return row?.isFirstSyncPending ?? false;
  }

  /** Finds the installation whose stored permission to read Actions differs from the given one. */
  async findOtherInstallation(tx: TenantTransaction, readsActions: boolean): Promise<number | null> {
    const [other] = await tx.query<{ readonly installation_id: string }>(
      'select installation_id from organization where installation_id is not null and reads_actions <> $1',
      [readsActions],
    );
    return other === undefined ? null : Number(other.installation_id);
  }

  /**
   * Returns the permissions of the installation at its last read. Before the first read all permissions are assumed,
   * because GitHub rejects an action without permission anyway.
   */
  async getPermissions(tx: TenantTransaction): Promise<InstallationPermissions> {
    const [row] = await tx.query<{ readonly granted: Readonly<Record<string, string>> | null }>(
      'select granted_permissions as granted from organization',
    );
    return toPermissions(row?.granted ?? null);
  }
}

function toPermissions(granted: Readonly<Record<string, string>> | null): InstallationPermissions {
  const writesWorkflows = granted === null || granted['workflows'] === 'write';
  const administers = granted === null || granted['administration'] === 'write';
  const decidesDeployments = granted === null || granted['deployments'] === 'write';
  const readsAttestations = granted === null || granted['attestations'] !== undefined;
  const name = writesWorkflows && administers ? 'full' : 'minimal';
  return { name, writesWorkflows, administers, decidesDeployments, readsAttestations };
}
