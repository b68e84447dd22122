import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { OrgId } from '../database/ids.js';

/** The workspace of an organization that the app is installed in and not suspended for. */
export interface InstalledWorkspace {
  readonly orgId: OrgId;
  readonly login: string;
  readonly installationId: number;
}

/** Finds workspaces by what the host calls them; asked before the tenant is known. */
@Injectable()
export class WorkspaceReader {
  constructor(private readonly database: Database) {}

  /** The workspace of the organization with this GitHub id, whatever it is called; null where it has none. */
  async findByOwner(ownerGithubId: number): Promise<OrgId | null> {
    const [row] = await this.database.lookup<{ readonly org_id: OrgId }>(
      'find_organization_by_owner',
      'select org_id from find_organization_by_owner($1)',
      [ownerGithubId],
    );
    return row?.org_id ?? null;
  }

  /** The workspace of an installation; null where there is none yet. */
  async findByInstallation(installationId: number): Promise<OrgId | null> {
    const [row] = await this.database.lookup<{ readonly org_id: OrgId }>(
      'find_organization_by_installation',
      'select org_id from find_organization_by_installation($1)',
      [installationId],
    );
    return row?.org_id ?? null;
  }

  async listInstalled(): Promise<readonly InstalledWorkspace[]> {
    const rows = await this.database.lookup<{ org_id: OrgId; login: string; installation_id: string }>(
      'list_installed_organizations',
      'select org_id, login, installation_id from list_installed_organizations()',
      [],
    );
    return rows.map((row) => ({ orgId: row.org_id, login: row.login, installationId: Number(row.installation_id) }));
  }
}
