import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../database/database.js';
import type { PersonalKeyScope } from '../../domain/keys/key-scope.js';

/** A member's own key as the member sees it: all of it but its secret. */
export interface PersonalKey {
  readonly id: string;
  readonly name: string;
  /** The leading part of the secret. */
  readonly prefix: string;
  readonly scope: PersonalKeyScope;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly lastUsedAt: Date | null;
}

interface PersonalKeyRow {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly scope: PersonalKeyScope;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly last_used_at: Date | null;
}

/** The keys of each member of a workspace. A revoked one stays, but is listed no more. */
@Injectable()
export class PersonalKeysRepository {
  /**
   * How many live keys the person has in all workspaces together. Whoever else asks for the same person waits until this
   * transaction ends.
   */
  async countOfPerson(tx: TenantTransaction, userId: number, now: Date): Promise<number> {
    const [row] = await tx.query<{ readonly live: string }>('select count_personal_keys($1, $2) as live', [
      userId,
      now,
    ]);
    return Number(row?.live);
  }

  /** False where the person is no member any more. The membership cannot end before this transaction does. */
  async add(tx: TenantTransaction, userId: number, key: PersonalKey, secretHash: Buffer): Promise<boolean> {
    const added = await tx.query(
      `insert into personal_key (org_id, id, person, name, prefix, secret_hash, scope, created_at, expires_at)
       select m.org_id, $2, m.person, $3, $4, $5, $6, $7, $8 from member m where m.person = $1 for key share
       returning id`,
      [userId, key.id, key.name, key.prefix, secretHash, key.scope, key.createdAt, key.expiresAt],
    );
    return added.length > 0;
  }

  /** Every key of the person that is not revoked, the newest first. */
  async listOfPerson(tx: TenantTransaction, userId: number): Promise<readonly PersonalKey[]> {
    const rows = await tx.query<PersonalKeyRow>(
      `select id, name, prefix, scope, created_at, expires_at, last_used_at
       from personal_key where person = $1 and revoked_at is null order by created_at desc, id`,
      [userId],
    );
    return rows.map((row) => ({
      id: row.id,
      name: row.name,
      prefix: row.prefix,
      scope: row.scope,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      lastUsedAt: row.last_used_at,
    }));
  }

  /** The name of the key that was revoked now; null where the person has no such key that is not revoked already. */
  async revoke(tx: TenantTransaction, userId: number, id: string, at: Date): Promise<string | null> {
    const [revoked] = await tx.query<{ readonly name: string }>(
      `with revoked as (
         update personal_key set revoked_at = $3 where id = $1 and person = $2 and revoked_at is null returning name)
       select name from revoked`,
      [id, userId, at],
    );
    return revoked?.name ?? null;
  }
}
