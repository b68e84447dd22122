import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import type { TenantTransaction } from '../../database/database.js';
import { PersonalKeyEntity } from '../../database/entities.js';
import type { PersonalKeyDto } from './personal-keys.dto.js';

/** Stores the keys of each member of a workspace. A revoked key stays stored, but is not listed. */
@Injectable()
export class PersonalKeysRepository {
  /**
   * Counts the live keys of the user in all workspaces together. Other transactions that count keys of the user wait until this one
   * ends.
   */
  async countOfUser(tx: TenantTransaction, userId: number, now: Date): Promise<number> {
    const [row] = await tx.query<{ readonly live: string }>('select count_personal_keys($1, $2) as live', [
      userId,
      now,
    ]);
    return Number(row?.live);
  }

  /** Returns false if the user is not a member any more. The membership cannot end before this transaction. */
  async create(tx: TenantTransaction, userId: number, key: PersonalKeyDto, secretHash: Buffer): Promise<boolean> {
    const created = await tx.query(
      `insert into personal_key (org_id, id, person, name, prefix, secret_hash, scope, created_at, expires_at)
       select m.org_id, $2, m.person, $3, $4, $5, $6, $7, $8 from member m where m.person = $1 for key share
       returning id`,
      [userId, key.id, key.name, key.prefix, secretHash, key.scope, key.createdAt, key.expiresAt],
    );
    return created.length > 0;
  }

  /** Lists the keys of the user that are not revoked, newest first. */
  async listOfUser(tx: TenantTransaction, userId: number): Promise<readonly PersonalKeyDto[]> {
    return tx.manager.find(PersonalKeyEntity, {
      select: { id: true, name: true, prefix: true, scope: true, createdAt: true, expiresAt: true, lastUsedAt: true },
      where: { userId, revokedAt: IsNull() },
      order: { createdAt: 'desc', id: 'asc' },
    });
  }

  /** Returns the name of the revoked key; null if the user has no such key or it was revoked before. */
  async revoke(tx: TenantTransaction, userId: number, id: string, at: Date): Promise<string | null> {
    const active = { id, userId, revokedAt: IsNull() };
    const revoked = await tx.manager.update(PersonalKeyEntity, active, { revokedAt: at }, { returning: ['name'] });
    return (revoked.raw as readonly PersonalKeyEntity[])[0]?.name ?? null;
  }
}
