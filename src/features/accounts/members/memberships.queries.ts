import { Injectable } from '@nestjs/common';
import type { MemberRole } from '../../../auth/user.js';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';

/** The membership of a user in one workspace. */
export interface WorkspaceMembership {
  readonly orgId: OrgId;
  /** The organization's login. */
  readonly org: string;
  readonly role: MemberRole;
  /** Whether the app is installed there and not suspended. */
  readonly installed: boolean;
}

/** Reads the memberships of a user in all workspaces, and the workspaces of organizations. */
@Injectable()
export class MembershipsQueries {
  constructor(private readonly database: Database) {}

  /** Returns the user's workspaces, by name. */
  async list(userId: number): Promise<readonly WorkspaceMembership[]> {
    return this.database.queryWithoutTenant<WorkspaceMembership>(
      'list_workspaces_by_user',
      'select org_id as "orgId", login as org, role, installed from list_workspaces_by_user($1)',
      [userId],
    );
  }

  /**
   * Returns the workspaces of these organizations by the GitHub id of the organization. Organizations without a workspace are
   * left out.
   */
  async findByOwners(ownerGithubIds: readonly number[]): Promise<ReadonlyMap<number, OrgId>> {
    const rows = await this.database.queryWithoutTenant<{ readonly orgId: OrgId; readonly githubId: number }>(
      'find_organizations_by_owners',
      'select org_id as "orgId", github_id::float8 as "githubId" from find_organizations_by_owners($1)',
      [ownerGithubIds],
    );
    return new Map(rows.map(({ orgId, githubId }) => [githubId, orgId]));
  }
}
