import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import { ADD_JOB, addJobParameters } from '../../jobs/job-sql.js';

export interface InstalledOrganization {
  readonly orgId: OrgId;
  readonly login: string;
  readonly installationId: number;
}

/** Which workspaces the app is installed for; asked before the workspace is known. */
@Injectable()
export class InstallationReader {
  constructor(private readonly database: Database) {}

  /** The workspace of an installation; null where there is none yet. */
  async findOrganization(installationId: number): Promise<OrgId | null> {
    const [row] = await this.database.lookup<{ readonly org_id: OrgId }>(
      'find_organization_by_installation',
      'select org_id from find_organization_by_installation($1)',
      [installationId],
    );
    return row?.org_id ?? null;
  }

  async findByOwner(accountGithubId: number): Promise<OrgId | null> {
    const [row] = await this.database.lookup<{ readonly org_id: OrgId }>(
      'find_organization_by_owner',
      'select org_id from find_organization_by_owner($1)',
      [accountGithubId],
    );
    return row?.org_id ?? null;
  }

  async list(): Promise<readonly InstalledOrganization[]> {
    const rows = await this.database.lookup<{ org_id: OrgId; login: string; installation_id: string }>(
      'list_installed_organizations',
      'select org_id, login, installation_id from list_installed_organizations()',
      [],
    );
    return rows.map((row) => ({ orgId: row.org_id, login: row.login, installationId: Number(row.installation_id) }));
  }

  /** Has the installation read anew; asking twice while it waits is asking once. */
  async askForSync(installationId: number): Promise<void> {
    // One after the other: of two at once the older list of repositories might be written down last.
    const queue = { kind: 'installation', of: String(installationId) } as const;
    const key = `installation:${installationId}`;
    const job = addJobParameters('sync-installation', { installationId }, { key, queue });
    await this.database.lookup('ask_for_sync', ADD_JOB, job);
  }
}
