import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { PublicKey } from '../../crypto/public-key.js';

/** A public key of the service. */
export interface PublishedKey extends PublicKey {
  readonly createdAt: Date;
  /** When it was replaced. Null for the current key. */
  readonly retiredAt: Date | null;
}

/** The current key with its encrypted private key. */
export interface EncryptedSigningKey extends PublicKey {
  readonly encryptedPrivateKey: string;
  readonly createdAt: Date;
}

/** Stores the signing keys of the service, which belong to no workspace. */
@Injectable()
export class SigningKeysRepository {
  constructor(private readonly database: Database) {}

  /** Returns the current key, or null before the first start. */
  async findInUse(): Promise<EncryptedSigningKey | null> {
    const [key] = await this.database.queryWithoutTenant<EncryptedSigningKey>(
      'find_signing_key',
      `select key_id as "keyId", public_key as x, sealed_private_key as "encryptedPrivateKey", made_at as "createdAt"
       from find_signing_key()`,
      [],
    );
    return key ?? null;
  }

  /** Lists all keys, newest first. */
  async list(): Promise<readonly PublishedKey[]> {
    return this.database.queryWithoutTenant<PublishedKey>(
      'list_public_keys',
      `select key_id as "keyId", public_key as x, made_at as "createdAt", retired_at as "retiredAt"
       from list_public_keys() order by made_at desc, key_id`,
      [],
    );
  }

  /** Adds the key unless there is one. If several processes add a key at once, one of them is stored. */
  async add({ keyId, x, encryptedPrivateKey, createdAt }: EncryptedSigningKey): Promise<void> {
    await this.database.queryWithoutTenant('add_signing_key', 'select add_signing_key($1, $2, $3, $4)', [
      keyId,
      x,
      encryptedPrivateKey,
      createdAt,
    ]);
  }

  /** Replaces the current key. Returns false if the old key is not the current one any more. */
  async replace(oldKeyId: string, { keyId, x, encryptedPrivateKey, createdAt }: EncryptedSigningKey): Promise<boolean> {
    const [row] = await this.database.queryWithoutTenant<{ readonly replaced: boolean }>(
      'replace_signing_key',
      'select replace_signing_key($1, $2, $3, $4, $5) as replaced',
      [oldKeyId, keyId, x, encryptedPrivateKey, createdAt],
    );
    return row?.replaced === true;
  }
}
