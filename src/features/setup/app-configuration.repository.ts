import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';

/** `configured`: the app is set up already. */
export type SetupCodeStatus = 'configured' | 'wrong_code' | 'right';

/** The encrypted credentials of the app, and the hashes of the set-up codes. */
@Injectable()
export class AppConfigurationRepository {
  constructor(private readonly database: Database) {}

  /** Returns the encrypted credentials. Null before the set-up. */
  async find(): Promise<string | null> {
    const [row] = await this.database.queryWithoutTenant<{ readonly credentials: string }>(
      'get_app_configuration',
      'select encrypted_credentials as credentials from get_app_configuration()',
      [],
    );
    return row?.credentials ?? null;
  }

  async addCode(hash: Buffer, now: Date): Promise<void> {
    await this.database.queryWithoutTenant('add_setup_code', 'select add_setup_code($1, $2)', [hash, now]);
  }

  async checkCode(hash: Buffer): Promise<SetupCodeStatus> {
    const [row] = await this.database.queryWithoutTenant<{ readonly status: SetupCodeStatus }>(
      'check_setup_code',
      'select check_setup_code($1) as status',
      [hash],
    );
    if (!row) throw new TypeError('check_setup_code returned no row');
    return row.status;
  }

  /**
   * Stores the credentials and deletes every code. Of several concurrent calls, one stores. An operator with access to the
   * environment of the service passes null instead of a code.
   */
  async complete(
    codeHash: Buffer | null,
    encrypted: string,
    now: Date,
  ): Promise<'stored' | 'configured' | 'wrong_code'> {
    const [row] = await this.database.queryWithoutTenant<{ readonly outcome: 'stored' | 'configured' | 'wrong_code' }>(
      'complete_setup',
      'select complete_setup($1, $2, $3) as outcome',
      [codeHash, encrypted, now],
    );
    if (!row) throw new TypeError('complete_setup returned no row');
    return row.outcome;
  }

  /** Returns the ids of the encryption keys that stored secrets need. */
  async listEncryptionKeyIds(): Promise<readonly string[]> {
    const rows = await this.database.queryWithoutTenant<{ readonly keyId: string }>(
      'list_encryption_key_ids',
      'select key_id as "keyId" from list_encryption_key_ids() order by key_id',
      [],
    );
    return rows.map(({ keyId }) => keyId);
  }
}
