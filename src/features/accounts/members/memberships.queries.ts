import { Injectable } from '@nestjs/common';
import { ABSOLUTE_TIMEOUT_MS, clockSkewLimit, IDLE_TIMEOUT_MS } from '../../../auth/session/session-lifetime.js';
import type { MemberRole, User } from '../../../auth/user.js';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';

/** How a person stands in one workspace. */
export interface WorkspaceMembership {
  readonly orgId: OrgId;
  /** The organization's login. */
  readonly org: string;
  readonly role: MemberRole;
  /** Whether the app is installed there and not suspended. */
  readonly installed: boolean;
}

/** In which workspaces a person stands where, and which organizations have one at all. */
@Injectable()
export class MembershipsQueries {
  constructor(private readonly database: Database) {}

  /** The workspaces that the person is a member of, by name. */
  async list(userId: number): Promise<readonly WorkspaceMembership[]> {
    const rows = await this.database.queryWithoutTenant<{
      readonly org_id: OrgId;
      readonly login: string;
      readonly role: MemberRole;
      readonly installed: boolean;
    }>('list_workspaces_by_user', 'select org_id, login, role, installed from list_workspaces_by_user($1)', [userId]);
    return rows.map(({ org_id: orgId, login, role, installed }) => ({ orgId, org: login, role, installed }));
  }

  /** The workspaces of those organizations that have one, by the organization's GitHub id. */
  async findByOwners(ownerGithubIds: readonly number[]): Promise<ReadonlyMap<number, OrgId>> {
    const rows = await this.database.queryWithoutTenant<{ readonly org_id: OrgId; readonly github_id: string }>(
      'find_organizations_by_owners',
      'select org_id, github_id from find_organizations_by_owners($1)',
      [ownerGithubIds],
    );
    return new Map(rows.map(({ org_id: orgId, github_id: githubId }) => [Number(githubId), orgId]));
  }

  /** Everybody who has a live session. */
  async listSignedIn(now: Date): Promise<readonly User[]> {
    const ago = (milliseconds: number): Date => new Date(now.getTime() - milliseconds);
    const rows = await this.database.queryWithoutTenant<{
      readonly github_id: string;
      readonly login: string;
      readonly name: string | null;
      readonly avatar_url: string;
    }>('list_signed_in_users', 'select github_id, login, name, avatar_url from list_signed_in_users($1, $2, $3)', [
      ago(IDLE_TIMEOUT_MS),
      ago(ABSOLUTE_TIMEOUT_MS),
      clockSkewLimit(now),
    ]);
    return rows.map((row) => ({
      id: Number(row.github_id),
      login: row.login,
      name: row.name,
      avatarUrl: row.avatar_url,
    }));
  }

  /** Which of these people have a live session. */
  async listWithActiveSession(userIds: readonly number[], now: Date): Promise<readonly number[]> {
    const ago = (milliseconds: number): Date => new Date(now.getTime() - milliseconds);
    const rows = await this.database.queryWithoutTenant<{ readonly user_id: string }>(
      'list_users_with_active_session',
      'select user_id from list_users_with_active_session($1, $2, $3, $4)',
      [userIds, ago(IDLE_TIMEOUT_MS), ago(ABSOLUTE_TIMEOUT_MS), clockSkewLimit(now)],
    );
    return rows.map(({ user_id: userId }) => Number(userId));
  }
}
