import type { Database } from '../database/database.js';
import type { OrgId } from '../database/ids.js';

export interface AuditedWorkspace {
  readonly orgId: OrgId;
  /** The organization's login as it was last known, which a later organization may have too. */
  readonly login: string;
}

/** Names every workspace that there ever was, since the log of each outlives the app's installation. */
export class AuditedWorkspaceReader {
  constructor(private readonly database: Database) {}

  /** By login. */
  async list(): Promise<readonly AuditedWorkspace[]> {
    const rows = await this.database.lookup<{ readonly org_id: OrgId; readonly login: string }>(
      'list_organizations',
      'select org_id, login from list_organizations()',
      [],
    );
    return rows.map((row) => ({ orgId: row.org_id, login: row.login }));
  }
}
