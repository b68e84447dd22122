import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../../database/database.js';
import type { AuditActor } from '../../audit/audit-actions.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import { MembersRepository } from './members.repository.js';

export interface Removal {
  /** The member's login for the audit log; another name after an erasure. */
  readonly login: string;
  readonly actor: AuditActor;
  readonly reason: 'left_organization' | 'removed_by_admin' | 'erased';
}

/** Ends memberships. */
@Injectable()
export class MemberRemovalService {
  constructor(
    private readonly audit: AuditLogService,
    private readonly members: MembersRepository,
  ) {}

  /**
   * Ends the membership. Deletes the user's repository access, and revokes the user's personal keys and invites in this
   * workspace. The user's sessions lose the workspace with the next request. Returns false if the user is no member.
   */
  async remove(tx: TenantTransaction, userId: number, { login, actor, reason }: Removal): Promise<boolean> {
    const removed = await this.members.delete(tx, userId);
    if (!removed) return false;
    const data = { userId, reason, ...removed };
    await this.audit.append(tx, { actor, action: 'member.removed', subject: login, data, repositoryIds: [] });
    return true;
  }
}
