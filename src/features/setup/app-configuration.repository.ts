import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';

/** What became of a set-up, or would: `configured` where it was done already. */
export type SetupCodeStatus = 'configured' | 'wrong_code' | 'right';

/** The one row of the app's sealed credentials, and the digests of the codes that open the set-up. */
@Injectable()
export class AppConfigurationRepository {
  constructor(private readonly database: Database) {}

  /** The sealed credentials; null before the set-up. */
  async find(): Promise<string | null> {
    const [row] = await this.database.queryWithoutTenant<{ readonly encrypted_credentials: string }>(
      'get_app_configuration',
      'select encrypted_credentials from get_app_configuration()',
      [],
    );
    return row?.encrypted_credentials ?? null;
  }

  async addCode(hash: Buffer, now: Date): Promise<void> {
    await this.database.queryWithoutTenant('add_setup_code', 'select add_setup_code($1, $2)', [hash, now]);
  }

  async checkCode(hash: Buffer): Promise<SetupCodeStatus> {
    const [row] = await this.database.queryWithoutTenant<{ readonly judgement: SetupCodeStatus }>(
      'check_setup_code',
      'select check_setup_code($1) as judgement',
      [hash],
    );
    if (!row) throw new TypeError('check_setup_code answered nothing');
    return row.judgement;
  }

  /**
   * Stores the credentials and ends every code; of several at once one stores. A null code is an operator's, who has the
   * service's environment at hand.
   */
  async complete(codeHash: Buffer | null, sealed: string, now: Date): Promise<'stored' | 'configured' | 'wrong_code'> {
    const [row] = await this.database.queryWithoutTenant<{ readonly outcome: 'stored' | 'configured' | 'wrong_code' }>(
      'complete_setup',
      'select complete_setup($1, $2, $3) as outcome',
      [codeHash, sealed, now],
    );
    if (!row) throw new TypeError('complete_setup answered nothing');
    return row.outcome;
  }

  /** The ids of the encryption keys that something which is kept needs. */
  async listSealingKeys(): Promise<readonly string[]> {
    const rows = await this.database.queryWithoutTenant<{ readonly key_id: string }>(
      'list_encryption_key_ids',
      'select key_id from list_encryption_key_ids() order by key_id',
      [],
    );
    return rows.map(({ key_id: keyId }) => keyId);
  }
}
