import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { PublicKey } from './public-key.js';

/** A key of the service as everybody may know it. */
export interface PublishedKey extends PublicKey {
  readonly madeAt: Date;
  /** When it was replaced; null while it is in use. */
  readonly retiredAt: Date | null;
}

/** The key in use, its private part sealed. */
export interface EncryptedSigningKey extends PublicKey {
  readonly encryptedPrivateKey: string;
  readonly madeAt: Date;
}

interface KeyRow {
  readonly key_id: string;
  readonly public_key: string;
  readonly made_at: Date;
}

/** The keys that the service signs with. They belong to no workspace. */
@Injectable()
export class SigningKeysRepository {
  constructor(private readonly database: Database) {}

  /** The key in use; null before the first start. */
  async findInUse(): Promise<EncryptedSigningKey | null> {
    const [row] = await this.database.queryWithoutTenant<KeyRow & { readonly sealed_private_key: string }>(
      'find_signing_key',
      'select key_id, public_key, sealed_private_key, made_at from find_signing_key()',
      [],
    );
    if (!row) return null;
    return { keyId: row.key_id, x: row.public_key, encryptedPrivateKey: row.sealed_private_key, madeAt: row.made_at };
  }

  /** Every key that anything was ever signed with, the newest first. */
  async list(): Promise<readonly PublishedKey[]> {
    const rows = await this.database.queryWithoutTenant<KeyRow & { readonly retired_at: Date | null }>(
      'list_public_keys',
      'select key_id, public_key, made_at, retired_at from list_public_keys() order by made_at desc, key_id',
      [],
    );
    return rows.map((row) => ({
      keyId: row.key_id,
      x: row.public_key,
      madeAt: row.made_at,
      retiredAt: row.retired_at,
    }));
  }

  /** Takes the key into use, unless there is one: of several that are added at once one stays. */
  async add({ keyId, x, encryptedPrivateKey, madeAt }: EncryptedSigningKey): Promise<void> {
    await this.database.queryWithoutTenant('add_signing_key', 'select add_signing_key($1, $2, $3, $4)', [
      keyId,
      x,
      encryptedPrivateKey,
      madeAt,
    ]);
  }

  /** Takes the key into use in the place of another; false where that one is not in use any more. */
  async replace(oldKeyId: string, { keyId, x, encryptedPrivateKey, madeAt }: EncryptedSigningKey): Promise<boolean> {
    const [row] = await this.database.queryWithoutTenant<{ readonly replaced: boolean }>(
      'replace_signing_key',
      'select replace_signing_key($1, $2, $3, $4, $5) as replaced',
      [oldKeyId, keyId, x, encryptedPrivateKey, madeAt],
    );
    return row?.replaced === true;
  }
}
