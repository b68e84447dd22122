import { Injectable } from '@nestjs/common';
import type { Person } from '../../auth/user.js';
import { Clock } from '../../config/clock.js';
import type { TenantTx } from '../../database/database.js';
import { AuditRecorder } from '../audit/audit.recorder.js';
import type { Invite } from './invite.js';
import { InvitesRepository } from './invites.repository.js';

/** Makes and withdraws invites, each with its line in the audit log. */
@Injectable()
export class InviteRecorder {
  constructor(
    private readonly invites: InvitesRepository,
    private readonly audit: AuditRecorder,
    private readonly clock: Clock,
  ) {}

  /** In place of whatever waited for the same person. */
  async add(tx: TenantTx, maker: Person, invite: Invite): Promise<void> {
    if (invite.person !== null) await this.revokeFor(tx, maker, invite.person, 'replaced');
    await this.invites.add(tx, invite);
    await this.append(tx, maker, 'invite.created', invite, { expiresAt: invite.expiresAt.toISOString() });
  }

  /** False where the workspace has no such invite that waits. */
  async revoke(tx: TenantTx, actor: Person, id: string): Promise<boolean> {
    const revoked = await this.invites.revoke(tx, id, this.clock.now());
    if (revoked) await this.append(tx, actor, 'invite.revoked', revoked, { reason: 'withdrawn' });
    return revoked !== null;
  }

  async revokeFor(
    tx: TenantTx,
    actor: Person,
    person: number,
    reason: 'replaced' | 'removed_from_workspace',
  ): Promise<void> {
    for (const revoked of await this.invites.revokeFor(tx, person, this.clock.now())) {
      await this.append(tx, actor, 'invite.revoked', revoked, { reason });
    }
  }

  /** For good: whoever is an admin again makes new ones. */
  async revokeMadeBy(tx: TenantTx, actor: Person, person: number): Promise<void> {
    for (const revoked of await this.invites.revokeMadeBy(tx, person, this.clock.now())) {
      await this.append(tx, actor, 'invite.revoked', revoked, { reason: 'maker_demoted' });
    }
  }

  async accept(tx: TenantTx, { id: userId, login }: Person, { id: inviteId, role, createdBy }: Invite): Promise<void> {
    await this.invites.accept(tx, inviteId, userId, this.clock.now());
    const actor = { type: 'person', id: userId, login } as const;
    const by = { actor, subject: login, repositoryIds: [] };
    await this.audit.append(tx, { ...by, action: 'invite.accepted', data: { inviteId, createdBy } });
    await this.audit.append(tx, { ...by, action: 'member.joined', data: { userId, reason: 'invite', role } });
  }

  private async append(
    tx: TenantTx,
    { id, login }: Person,
    action: 'invite.created' | 'invite.revoked',
    invite: Invite,
    more: Readonly<Record<string, string>>,
  ): Promise<void> {
    await this.audit.append(tx, {
      actor: { type: 'person', id, login },
      action,
      subject: invite.login ?? 'whoever holds the link',
      data: { inviteId: invite.id, userId: invite.person, role: invite.role, ...more },
      repositoryIds: [],
    });
  }
}
