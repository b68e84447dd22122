import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Clock } from '../../config/clock.js';
import { Database, type TenantTransaction } from '../../database/database.js';
import { InviteEntity } from '../../database/entities.js';
import type { OrgId } from '../../database/ids.js';

const DAY_MS = 24 * 3_600_000;

/** How long an invite can be accepted. */
export const INVITE_DURATION_MS = 7 * DAY_MS;

/** An invite to the workspace. It can be accepted once. `login` is that of the time of the invite; only the id is checked. */
export type Invite = Omit<InviteEntity, 'orgId' | 'acceptedBy' | 'acceptedAt' | 'revokedAt'>;

/** An invite that was revoked. */
export type RevokedInvite = Pick<Invite, 'id' | 'userId' | 'login' | 'role' | 'auditor'>;

/** An invite with its status. */
export interface StoredInvite extends Invite {
  readonly accepted: boolean;
  /** Whether an admin withdrew it or its creator is not an admin any more. */
  readonly withdrawn: boolean;
}

/** An invite is valid only while its creator is an admin. */
const CREATOR_IS_ADMIN = `exists (select from member m where m.person = i.created_by and m.role = 'admin')`;
const COLUMNS = `
  id, person::float8 as "userId", login, role, auditor, created_by::float8 as "createdBy", created_at as "createdAt",
  expires_at as "expiresAt", accepted_at is not null as accepted, revoked_at is not null or not ${CREATOR_IS_ADMIN} as withdrawn`;

/** Stores the invites of a workspace. Accepted and withdrawn invites stay stored. */
@Injectable()
export class InvitesRepository {
  constructor(
    private readonly database: Database,
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

  async find(tx: TenantTransaction, id: string): Promise<StoredInvite | null> {
    const [invite] = await tx.query<StoredInvite>(`select ${COLUMNS} from invite i where id = $1`, [id]);
    return invite ?? null;
  }

  /** Lists the invites that can be accepted, newest first. */
  async listOpen(tx: TenantTransaction): Promise<readonly StoredInvite[]> {
    return tx.query<StoredInvite>(
      `select ${COLUMNS} from invite i where accepted_at is null and revoked_at is null and expires_at > $1 and ${CREATOR_IS_ADMIN}
       order by created_at desc, id desc`,
      [this.clock.now()],
    );
  }

  async create(tx: TenantTransaction, invite: Invite): Promise<void> {
    await tx.manager.insert(InviteEntity, { ...invite, orgId: tx.orgId });
  }

  /** Revokes the pending invites that match and returns them. */
  async revoke(
    tx: TenantTransaction,
    which: Partial<Pick<Invite, 'id' | 'userId' | 'createdBy'>>,
  ): Promise<readonly RevokedInvite[]> {
    const revoked = await tx.manager.update(
      InviteEntity,
      { ...which, acceptedAt: IsNull(), revokedAt: IsNull() },
      { revokedAt: this.clock.now() },
      { returning: 'id, person as "userId", login, role, auditor' },
    );
    return revoked.raw as readonly RevokedInvite[];
  }

  async accept(tx: TenantTransaction, { id }: Invite, acceptedBy: number): Promise<void> {
    await tx.manager.update(InviteEntity, { id }, { acceptedBy, acceptedAt: this.clock.now() });
  }
}
