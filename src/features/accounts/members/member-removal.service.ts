import { Injectable } from '@nestjs/common';
import type { MemberRole } from '../../../auth/user.js';
import { Clock } from '../../../config/clock.js';
import type { TenantTransaction } from '../../../database/database.js';
import type { AuditActor } from '../../audit/audit-actions.js';
import { AuditRepository } from '../../audit/audit.repository.js';

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
    private readonly audit: AuditRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Ends the membership. Deletes the user's repository access, and revokes the user's personal keys and invites in this
   * workspace. The user's sessions lose the workspace with the next request. Returns false if the user is no member.
   */
  async remove(tx: TenantTransaction, userId: number, { login, actor, reason }: Removal): Promise<boolean> {
    const [removed] = await tx.query<{ readonly role: MemberRole }>(
      'delete from member where person = $1 returning role',
      [userId],
    );
    if (!removed) return false;
    const keys = await tx.query(
      'update personal_key set revoked_at = $2 where person = $1 and revoked_at is null returning id',
      [userId, this.clock.now()],
    );
    // Permanently: a later membership does not restore them.
    const invites = await tx.query(
      'update invite set revoked_at = $2 where created_by = $1 and accepted_at is null and revoked_at is null returning id',
      [userId, this.clock.now()],
    );
    const data = {
      userId,
      role: removed.role,
      reason,
      keysRevoked: keys.length,
      invitesRevoked: invites.length,
    };
    await this.audit.append(tx, { actor, action: 'member.removed', subject: login, data, repositoryIds: [] });
    return true;
  }
}
