import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { OrgId } from '../database/ids.js';

/** Finds the workspace of an organization before it is known. */
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
}
