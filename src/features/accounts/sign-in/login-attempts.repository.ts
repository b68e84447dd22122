import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';

/** Sign-ins that have begun, by the digest of the secret that the browser holds. */
@Injectable()
export class LoginAttemptsRepository {
  constructor(private readonly database: Database) {}

  async begin(secretHash: Buffer, returnTo: string, at: Date): Promise<void> {
    await this.database.queryWithoutTenant('create_login_attempt', 'select create_login_attempt($1, $2, $3)', [
      secretHash,
      returnTo,
      at,
    ]);
  }

  /** Ends the attempt and answers the path to go back to; null where there is none that began after the moment. */
  async take(secretHash: Buffer, begunAfter: Date): Promise<string | null> {
    const [row] = await this.database.queryWithoutTenant<{ readonly return_to: string }>(
      'consume_login_attempt',
      'select return_to from consume_login_attempt($1, $2)',
      [secretHash, begunAfter],
    );
    return row?.return_to ?? null;
  }
}
