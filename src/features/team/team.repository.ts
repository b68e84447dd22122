import { Injectable } from '@nestjs/common';
import { Not } from 'typeorm';
import type { MemberRole } from '../../auth/user.js';
import type { TenantTransaction } from '../../database/database.js';
import { MemberEntity } from '../../database/entities.js';
import { WorkspacesQueries, type WorkspaceOrganization } from '../../workspaces/workspaces.queries.js';

type TeamMember = Pick<MemberEntity, 'userId' | 'role' | 'joinedAt' | 'auditor'>;

/** Reads and changes the members of a workspace for its admins. */
@Injectable()
export class TeamRepository {
  constructor(private readonly workspaces: WorkspacesQueries) {}

  /**
   * Blocks other transactions that change the team, so that checks stay valid until this one ends. It must be the first statement:
   * rows that were read before the wait may have changed.
   */
  async lock(tx: TenantTransaction): Promise<void> {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [`${tx.orgId} team`]);
  }

  async getOrganization(tx: TenantTransaction): Promise<WorkspaceOrganization> {
    const workspace = await this.workspaces.find(tx);
    if (!workspace) throw new Error(`The workspace ${tx.orgId} has no organization.`);
    return workspace;
  }

  async list(tx: TenantTransaction): Promise<readonly TeamMember[]> {
    return tx.manager.find(MemberEntity);
  }

  /** Returns null if the user is not a member. */
  async find(tx: TenantTransaction, userId: number): Promise<TeamMember | null> {
    return tx.manager.findOneBy(MemberEntity, { userId });
  }

  /** Returns whether the workspace has another admin. */
  async hasOtherAdmin(tx: TenantTransaction, userId: number): Promise<boolean> {
    return tx.manager.existsBy(MemberEntity, { role: 'admin', userId: Not(userId) });
  }

  /** Returns false if the user is not a member any more. */
  async setRole(tx: TenantTransaction, userId: number, role: MemberRole): Promise<boolean> {
    return (await tx.manager.update(MemberEntity, { userId }, { role })).affected === 1;
  }

  /** Returns false if the user is not a member any more. */
  async setAuditor(tx: TenantTransaction, userId: number, auditor: boolean): Promise<boolean> {
    return (await tx.manager.update(MemberEntity, { userId }, { auditor })).affected === 1;
  }
}
