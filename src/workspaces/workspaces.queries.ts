import { Injectable } from '@nestjs/common';
import { Database, type TenantTransaction } from '../database/database.js';
import type { OrgId } from '../database/ids.js';

/** The workspace of an organization that the app is installed in and not suspended for. */
export interface InstalledWorkspace {
  readonly orgId: OrgId;
  readonly login: string;
  readonly installationId: number;
}

/** What the app may do in an organization beyond what every installation of it must allow. */
export interface InstallationPermissions {
  /** `minimal`: some of it is done with a person's own token. */
  readonly name: 'full' | 'minimal';
  readonly writesWorkflows: boolean;
  readonly administers: boolean;
}

/** Tells the tier of a workspace's installation. */
@Injectable()
export class InstallationPermissionsQueries {
  /**
   * By what its owner had granted when the installation was last read. Of one that was not read yet everything is
   * expected: the host says so soon enough where something is not granted.
   */
  async get(tx: TenantTransaction): Promise<InstallationPermissions> {
    const [row] = await tx.query<{ readonly granted: Readonly<Record<string, string>> | null }>(
      'select granted_permissions as granted from organization',
    );
    return tierOf(row?.granted ?? null);
  }
}

function tierOf(granted: Readonly<Record<string, string>> | null): InstallationPermissions {
  const writesWorkflows = granted === null || granted['workflows'] === 'write';
  const administers = granted === null || granted['administration'] === 'write';
  return { name: writesWorkflows && administers ? 'full' : 'minimal', writesWorkflows, administers };
}

export interface AuditedWorkspace {
  readonly orgId: OrgId;
  /** The organization's login as it was last known, which a later organization may have too. */
  readonly login: string;
}

/** A workspace as far as the code host must be asked about its people. */
export interface WorkspaceOrganization {
  readonly githubId: number;
  /** The organization's login. */
  readonly login: string;
  /** Null while no installation of the app can speak for it: uninstalled, or suspended. */
  readonly installationId: number | null;
}

interface WorkspaceRow {
  readonly github_id: string;
  readonly login: string;
  readonly installation_id: string | null;
}

/** Finds workspaces by what the host calls them; asked before the tenant is known. Names every workspace that there ever was, since the log of each outlives the app's installation. Says of which organization a transaction's workspace is, and by which installation the host can be asked about it. */
@Injectable()
export class WorkspacesQueries {
  constructor(private readonly database: Database) {}

  /** The workspace of the organization with this GitHub id, whatever it is called; null where it has none. */
  async findByOwner(ownerGithubId: number): Promise<OrgId | null> {
    const [row] = await this.database.queryWithoutTenant<{ readonly org_id: OrgId }>(
      'find_organization_by_owner',
      'select org_id from find_organization_by_owner($1)',
      [ownerGithubId],
    );
    return row?.org_id ?? null;
  }

  /** The workspace of an installation; null where there is none yet. */
  async findByInstallation(installationId: number): Promise<OrgId | null> {
    const [row] = await this.database.queryWithoutTenant<{ readonly org_id: OrgId }>(
      'find_organization_by_installation',
      'select org_id from find_organization_by_installation($1)',
      [installationId],
    );
    return row?.org_id ?? null;
  }

  async listInstalled(): Promise<readonly InstalledWorkspace[]> {
    const rows = await this.database.queryWithoutTenant<{ org_id: OrgId; login: string; installation_id: string }>(
      'list_installed_organizations',
      'select org_id, login, installation_id from list_installed_organizations()',
      [],
    );
    return rows.map((row) => ({ orgId: row.org_id, login: row.login, installationId: Number(row.installation_id) }));
  }

  /** By login. */
  async list(): Promise<readonly AuditedWorkspace[]> {
    const rows = await this.database.queryWithoutTenant<{ readonly org_id: OrgId; readonly login: string }>(
      'list_organizations',
      'select org_id, login from list_organizations()',
      [],
    );
    return rows.map((row) => ({ orgId: row.org_id, login: row.login }));
  }

  /** Null where there is no such workspace. */
  async find(tx: TenantTransaction): Promise<WorkspaceOrganization | null> {
    const [row] = await tx.query<WorkspaceRow>(
      `select github_id, login, case when suspended_at is null then installation_id end as installation_id from organization`,
    );
    if (!row) return null;
    const installationId = row.installation_id === null ? null : Number(row.installation_id);
    return { githubId: Number(row.github_id), login: row.login, installationId };
  }
}

/** Knows whether organizations are being found that were not known here, or their people let in. */
@Injectable()
export class FirstReadingReader {
  constructor(private readonly database: Database) {}

  /** True where the person, by their id on the code host, is in no workspace, and may be in one within seconds. */
  async concerns(person: number): Promise<boolean> {
    const [row] = await this.database.queryWithoutTenant<{ readonly concerns: boolean }>(
      'is_first_reading',
      `select not exists (select from list_workspaces_of($1)) and exists (
         select from graphile_worker._private_jobs job
         join graphile_worker._private_tasks task on task.id = job.task_id
         where task.identifier in ('find-installations', 'admit-signed-in') and job.attempts < job.max_attempts)
         as concerns`,
      [person],
    );
    return row?.concerns ?? false;
  }
}
