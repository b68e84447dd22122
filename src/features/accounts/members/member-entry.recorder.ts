import { Injectable } from '@nestjs/common';
import type { MemberRole, Person } from '../../../auth/user.js';
import type { TenantTx } from '../../../database/database.js';
import { Jobs } from '../../../jobs/jobs.js';
import { AuditRecorder } from '../../audit/audit.recorder.js';
import { MembersRepository, type NewMember } from './members.repository.js';

/** Writes down what the host says of a person who signs in. */
@Injectable()
export class MemberEntry {
  constructor(
    private readonly members: MembersRepository,
    private readonly audit: AuditRecorder,
    private readonly jobs: Jobs,
  ) {}

  /** Makes somebody a member whom the host named as one of the organization at that moment; false where they are one. */
  admit(tx: TenantTx, member: NewMember, confirmedAt: Date): Promise<boolean> {
    return this.members.join(tx, member, confirmedAt);
  }

  /**
   * Confirms the person if they are a member of the workspace, and makes an owner of its organization an admin. Whoever
   * else belongs to the organization is let in by an invite, not by this.
   */
  async record(tx: TenantTx, person: Person, roleOnHost: MemberRole, observedAt: Date): Promise<void> {
    const actor = { type: 'person', id: person.id, login: person.login } as const;
    const data = { userId: person.id, reason: 'organization_owner' };
    const told = { actor, subject: person.login, repositoryIds: [] };
    const owner = { person: person.id, role: 'admin', joinedAt: observedAt } as const;
    if (roleOnHost === 'admin' && (await this.members.join(tx, owner, observedAt))) {
      // They may have left between the host's word and this row: nothing that was told of it would find them again.
      await this.jobs.enqueue(tx, 'renew-members', { orgId: tx.orgId });
      await this.audit.append(tx, { ...told, action: 'member.joined', data: { ...data, role: 'admin' } });
      return;
    }
    await this.members.confirm(tx, [person.id], observedAt);
    if (roleOnHost === 'admin' && (await this.members.raise(tx, person.id))) {
      const change = { ...data, from: 'member', to: 'admin' };
      await this.audit.append(tx, { ...told, action: 'member.role_changed', data: change });
    }
  }
}
