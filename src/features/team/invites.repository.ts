import { Injectable } from '@nestjs/common';
import type { User } from '../../auth/user.js';
import { Clock } from '../../config/clock.js';
import { Database, type TenantTransaction } from '../../database/database.js';
import { Invite as InviteEntity } from '../../database/entities/members.entities.js';
import type { OrgId } from '../../database/ids.js';
import { AuditRepository } from '../audit/audit.repository.js';

const DAY_MS = 24 * 3_600_000;

/** How long an invite can be accepted. */
export const INVITE_DURATION_MS = 7 * DAY_MS;

/** An invite to the workspace. It can be accepted once. `login` is that of the time of the invite; only the id is checked. */
export type Invite = Omit<InviteEntity, 'orgId' | 'acceptedBy' | 'acceptedAt' | 'revokedAt'>;

/** An invite with its status. */
export interface StoredInvite extends Invite {
  readonly accepted: boolean;
  /** Whether an admin withdrew it or its creator is not an admin any more. */
  readonly withdrawn: boolean;
}

const IS_PENDING = 'accepted_at is null and revoked_at is null';
/** An invite is valid only while its creator is an admin. */
const CREATOR_IS_ADMIN = `exists (select from member m where m.person = i.created_by and m.role = 'admin')`;
const COLUMNS = `
  id, person::float8 as "userId", login, role, created_by::float8 as "createdBy", created_at as "createdAt",
  expires_at as "expiresAt", accepted_at is not null as accepted, revoked_at is not null or not ${CREATOR_IS_ADMIN} as withdrawn`;

/** Stores the invites of a workspace and writes each change to the audit log. Accepted and withdrawn invites stay stored. */
@Injectable()
export class InvitesRepository {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditRepository,
    private readonly clock: Clock,
  ) {}

  /** Finds the workspace of an invite. */
  async findWorkspace(id: string): Promise<OrgId | null> {
    const [row] = await this.database.queryWithoutTenant<{ readonly org_id: OrgId }>(
      'find_workspace_by_invite',
      'select org_id from find_workspace_by_invite($1)',
      [id],
    );
    return row?.org_id ?? null;
  }

  async insert(tx: TenantTransaction, invite: Invite): Promise<void> {
    await tx.manager.insert(InviteEntity, { ...invite, orgId: tx.orgId });
  }

  async find(tx: TenantTransaction, id: string): Promise<StoredInvite | null> {
    const [invite] = await tx.query<StoredInvite>(`select ${COLUMNS} from invite i where id = $1`, [id]);
    return invite ?? null;
  }

  /** Lists the invites that can be accepted, newest first. */
  async listOpen(tx: TenantTransaction): Promise<readonly StoredInvite[]> {
    return tx.query<StoredInvite>(
      `select ${COLUMNS} from invite i where ${IS_PENDING} and expires_at > $1 and ${CREATOR_IS_ADMIN}
       order by created_at desc, id desc`,
      [this.clock.now()],
    );
  }

  async markAccepted(tx: TenantTransaction, id: string, userId: number, at: Date): Promise<void> {
    await tx.manager.update(InviteEntity, { id }, { acceptedBy: userId, acceptedAt: at });
  }

  /** Revokes a pending invite. Returns null if the workspace has no such invite. */
  async markRevoked(tx: TenantTransaction, id: string, at: Date): Promise<StoredInvite | null> {
    const [invite] = await tx.query<StoredInvite>(
      `update invite i set revoked_at = $2 where id = $1 and ${IS_PENDING} returning ${COLUMNS}`,
      [id, at],
    );
    return invite ?? null;
  }

  /** Revokes the pending invites for this user and returns them. */
  async markRevokedFor(tx: TenantTransaction, userId: number, at: Date): Promise<readonly StoredInvite[]> {
    return this.revokeWhere(tx, 'person', userId, at);
  }

  /** Revokes the pending invites that this user created and returns them. */
  async markRevokedCreatedBy(tx: TenantTransaction, userId: number, at: Date): Promise<readonly StoredInvite[]> {
    return this.revokeWhere(tx, 'created_by', userId, at);
  }

  private async revokeWhere(
    tx: TenantTransaction,
    column: 'person' | 'created_by',
    userId: number,
    at: Date,
  ): Promise<readonly StoredInvite[]> {
    return tx.query<StoredInvite>(
      `update invite i set revoked_at = $2 where ${column} = $1 and ${IS_PENDING} returning ${COLUMNS}`,
      [userId, at],
    );
  }

  /** Creates an invite. It replaces pending invites for the same user. */
  async create(tx: TenantTransaction, creator: User, invite: Invite): Promise<void> {
    if (invite.userId !== null) await this.revokeFor(tx, creator, invite.userId, 'replaced');
    await this.insert(tx, invite);
    await this.append(tx, creator, 'invite.created', invite, { expiresAt: invite.expiresAt.toISOString() });
  }

  /** Revokes a pending invite. Returns false if the workspace has no such invite. */
  async revoke(tx: TenantTransaction, actor: User, id: string): Promise<boolean> {
    const revoked = await this.markRevoked(tx, id, this.clock.now());
    if (revoked) await this.append(tx, actor, 'invite.revoked', revoked, { reason: 'withdrawn' });
    return revoked !== null;
  }

  async revokeFor(
    tx: TenantTransaction,
    actor: User,
    userId: number,
    reason: 'replaced' | 'removed_from_workspace',
  ): Promise<void> {
    for (const revoked of await this.markRevokedFor(tx, userId, this.clock.now())) {
      await this.append(tx, actor, 'invite.revoked', revoked, { reason });
    }
  }

  /** Revokes the invites that a former admin created. They stay revoked if the user becomes an admin again. */
  async revokeCreatedBy(tx: TenantTransaction, actor: User, userId: number): Promise<void> {
    for (const revoked of await this.markRevokedCreatedBy(tx, userId, this.clock.now())) {
      await this.append(tx, actor, 'invite.revoked', revoked, { reason: 'maker_demoted' });
    }
  }

  async accept(
    tx: TenantTransaction,
    { id: userId, login }: User,
    { id: inviteId, role, createdBy }: Invite,
  ): Promise<void> {
    await this.markAccepted(tx, inviteId, userId, this.clock.now());
    const actor = { type: 'person', id: userId, login } as const;
    const by = { actor, subject: login, repositoryIds: [] };
    await this.audit.append(tx, { ...by, action: 'invite.accepted', data: { inviteId, createdBy } });
    await this.audit.append(tx, { ...by, action: 'member.joined', data: { userId, reason: 'invite', role } });
  }

  private async append(
    tx: TenantTransaction,
    { id, login }: User,
    action: 'invite.created' | 'invite.revoked',
    invite: Invite,
    more: Readonly<Record<string, string>>,
  ): Promise<void> {
    await this.audit.append(tx, {
      actor: { type: 'person', id, login },
      action,
      subject: invite.login ?? 'anyone with the link',
      data: { inviteId: invite.id, userId: invite.userId, role: invite.role, ...more },
      repositoryIds: [],
    });
  }
}
