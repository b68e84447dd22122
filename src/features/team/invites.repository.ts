import { Injectable } from '@nestjs/common';
import type { MemberRole, User } from '../../auth/user.js';
import { Clock } from '../../config/clock.js';
import { Database, type TenantTransaction } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import { AuditRepository } from '../audit/audit.repository.js';

const DAY_MS = 24 * 3_600_000;

/** How long an invite waits to be accepted. */
export const INVITE_DURATION_MS = 7 * DAY_MS;

/** Leave to become a member of the workspace, once. */
export interface Invite {
  readonly id: string;
  /** The id on the code host of whom it is for; null for whoever holds it. */
  readonly userId: number | null;
  /** What that person was called when it was made: a label, the id decides. */
  readonly login: string | null;
  readonly role: MemberRole;
  /** The admin who gives the leave, by their id on the code host. */
  readonly createdBy: number;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** An invite with what became of it. */
export interface StoredInvite extends Invite {
  readonly accepted: boolean;
  /** Whether it was taken back, by hand or because its maker is an admin no more. */
  readonly withdrawn: boolean;
}

interface InviteRow {
  readonly id: string;
  readonly person: string | null;
  readonly login: string | null;
  readonly role: MemberRole;
  readonly created_by: string;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly accepted: boolean;
  readonly withdrawn: boolean;
}

const WAITS = 'accepted_at is null and revoked_at is null';
/** An invite is the word of an admin, and ends with their office, whoever or whatever ended that. */
const MAKER_IS_ADMIN = `exists (select from member m where m.person = i.created_by and m.role = 'admin')`;
const COLUMNS = `
  id, person, login, role, created_by, created_at, expires_at, accepted_at is not null as accepted,
  revoked_at is not null or not ${MAKER_IS_ADMIN} as withdrawn`;

const inviteOf = (row: InviteRow): StoredInvite => ({
  id: row.id,
  userId: row.person === null ? null : Number(row.person),
  login: row.login,
  role: row.role,
  createdBy: Number(row.created_by),
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  accepted: row.accepted,
  withdrawn: row.withdrawn,
});

/** The invites of a workspace. One that was accepted or withdrawn stays, and opens nothing. Makes and withdraws invites, each with its line in the audit log. */
@Injectable()
export class InvitesRepository {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditRepository,
    private readonly clock: Clock,
  ) {}

  /** Of which workspace the invite is; null where there is none. */
  async findWorkspace(id: string): Promise<OrgId | null> {
    const [row] = await this.database.queryWithoutTenant<{ readonly org_id: OrgId }>(
      'find_workspace_by_invite',
      'select org_id from find_workspace_by_invite($1)',
      [id],
    );
    return row?.org_id ?? null;
  }

  async insert(tx: TenantTransaction, invite: Invite): Promise<void> {
    await tx.query(
      `insert into invite (org_id, id, person, login, role, created_by, created_at, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        tx.orgId,
        invite.id,
        invite.userId,
        invite.login,
        invite.role,
        invite.createdBy,
        invite.createdAt,
        invite.expiresAt,
      ],
    );
  }

  async find(tx: TenantTransaction, id: string): Promise<StoredInvite | null> {
    const [row] = await tx.query<InviteRow>(`select ${COLUMNS} from invite i where id = $1`, [id]);
    return row ? inviteOf(row) : null;
  }

  /** Those that can be accepted, the newest first. */
  async listOpen(tx: TenantTransaction, now: Date): Promise<readonly StoredInvite[]> {
    const rows = await tx.query<InviteRow>(
      `select ${COLUMNS} from invite i where ${WAITS} and expires_at > $1 and ${MAKER_IS_ADMIN}
       order by created_at desc, id desc`,
      [now],
    );
    return rows.map(inviteOf);
  }

  async markAccepted(tx: TenantTransaction, id: string, userId: number, at: Date): Promise<void> {
    await tx.query('update invite set accepted_by = $2, accepted_at = $3 where id = $1', [id, userId, at]);
  }

  /** Null where the workspace has no such invite that waits. */
  async markRevoked(tx: TenantTransaction, id: string, at: Date): Promise<StoredInvite | null> {
    const [row] = await tx.query<InviteRow>(
      `update invite i set revoked_at = $2 where id = $1 and ${WAITS} returning ${COLUMNS}`,
      [id, at],
    );
    return row ? inviteOf(row) : null;
  }

  /** Withdraws what waits for this person, and answers it. */
  async markRevokedFor(tx: TenantTransaction, userId: number, at: Date): Promise<readonly StoredInvite[]> {
    return this.revokeWhere(tx, 'person', userId, at);
  }

  /** Withdraws what waits and was made by this person, and answers it. */
  async markRevokedMadeBy(tx: TenantTransaction, userId: number, at: Date): Promise<readonly StoredInvite[]> {
    return this.revokeWhere(tx, 'created_by', userId, at);
  }

  private async revokeWhere(
    tx: TenantTransaction,
    column: 'person' | 'created_by',
    userId: number,
    at: Date,
  ): Promise<readonly StoredInvite[]> {
    const rows = await tx.query<InviteRow>(
      `update invite i set revoked_at = $2 where ${column} = $1 and ${WAITS} returning ${COLUMNS}`,
      [userId, at],
    );
    return rows.map(inviteOf);
  }

  /** In place of whatever waited for the same person. */
  async add(tx: TenantTransaction, maker: User, invite: Invite): Promise<void> {
    if (invite.userId !== null) await this.revokeFor(tx, maker, invite.userId, 'replaced');
    await this.insert(tx, invite);
    await this.append(tx, maker, 'invite.created', invite, { expiresAt: invite.expiresAt.toISOString() });
  }

  /** False where the workspace has no such invite that waits. */
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

  /** For good: whoever is an admin again makes new ones. */
  async revokeMadeBy(tx: TenantTransaction, actor: User, userId: number): Promise<void> {
    for (const revoked of await this.markRevokedMadeBy(tx, userId, this.clock.now())) {
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
      subject: invite.login ?? 'whoever holds the link',
      data: { inviteId: invite.id, userId: invite.userId, role: invite.role, ...more },
      repositoryIds: [],
    });
  }
}
