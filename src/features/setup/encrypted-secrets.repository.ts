import { Database } from '../../database/database.js';
import { withDedicatedClient } from '../../database/dedicated-client.js';
import { asOwner } from '../../database/dump/owner-access.js';

/** A stored secret as it is encrypted. */
export interface EncryptedSecret {
  readonly kind: 'app_credentials' | 'signing_key' | 'access_token' | 'refresh_token';
  /** The id of the signing key or of the user; empty for the credentials of the app. */
  readonly owner: string;
  readonly ciphertext: string;
}

/** Finds and replaces stored secrets of every kind. */
export class EncryptedSecretsRepository {
  constructor(private readonly database: Database) {}

  /** Lists at most `limit` secrets that another key than the given one encrypted. Only the owner may list the secrets of all users. */
  async listOfOtherKeys(ownerUrl: string, currentKeyId: string, limit: number): Promise<readonly EncryptedSecret[]> {
    return withDedicatedClient(ownerUrl, (client) =>
      asOwner(client, null, async () => {
        const { rows } = await client.query<EncryptedSecret>(
          'select kind, owner, ciphertext from list_secrets_of_other_keys($1, $2)',
          [currentKeyId, limit],
        );
        return rows;
      }),
    );
  }

  /** Returns false if the secret was changed in the meantime. */
  async replace({ kind, owner, ciphertext }: EncryptedSecret, successor: string): Promise<boolean> {
    const [row] = await this.database.queryWithoutTenant<{ readonly replaced: boolean }>(
      'replace_encrypted_secret',
      'select replace_encrypted_secret($1, $2, $3, $4) as replaced',
      [kind, owner, ciphertext, successor],
    );
    return row?.replaced === true;
  }
}
