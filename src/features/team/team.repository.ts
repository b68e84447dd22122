import { Injectable } from '@nestjs/common';
import type { MemberRole } from '../../auth/user.js';
import type { TenantTransaction } from '../../database/database.js';
import { WorkspacesQueries, type WorkspaceOrganization } from '../../workspaces/workspaces.queries.js';

export interface TeamMember {
  /** The person's id on the code host. */
  readonly userId: number;
  readonly role: MemberRole;
  readonly joinedAt: Date;
}

interface MemberRow {
  readonly person: string;
  readonly role: MemberRole;
  readonly joined_at: Date;
}

/** The members of a workspace as its admins govern them. */
@Injectable()
export class TeamRepository {
  constructor(private readonly workspaces: WorkspacesQueries) {}

  /**
   * Makes everybody else who changes this team wait until the transaction ends, so that what it counted stays true.
   * To be the first statement: one that waited after it had read would go by what it read before.
   */
  async lock(tx: TenantTransaction): Promise<void> {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [`${tx.orgId} team`]);
  }

  async organization(tx: TenantTransaction): Promise<WorkspaceOrganization> {
    const workspace = await this.workspaces.find(tx);
    if (!workspace) throw new Error(`The workspace ${tx.orgId} has no organization.`);
    return workspace;
  }

  async list(tx: TenantTransaction): Promise<readonly TeamMember[]> {
    return (await tx.query<MemberRow>('select person, role, joined_at from member')).map(memberOf);
  }

  /** Null for somebody who is no member. */
  async find(tx: TenantTransaction, userId: number): Promise<TeamMember | null> {
    const [row] = await tx.query<MemberRow>('select person, role, joined_at from member where person = $1', [userId]);
    return row ? memberOf(row) : null;
  }

  /** Whether the workspace has an admin besides this person. */
  async hasOtherAdmin(tx: TenantTransaction, userId: number): Promise<boolean> {
    return (await tx.query(`select from member where role = 'admin' and person <> $1 limit 1`, [userId])).length > 0;
  }

  /** False where the person is no member any more. */
  async setRole(tx: TenantTransaction, userId: number, role: MemberRole): Promise<boolean> {
    return (
      (await tx.query('update member set role = $2 where person = $1 returning person', [userId, role])).length > 0
    );
  }
}

const memberOf = (row: MemberRow): TeamMember => ({
  userId: Number(row.person),
  role: row.role,
  joinedAt: row.joined_at,
});
