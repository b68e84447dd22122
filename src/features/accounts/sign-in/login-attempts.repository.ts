import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';

/** Sign-ins that were started, by the hash of the secret in the browser. */
@Injectable()
export class LoginAttemptsRepository {
  constructor(private readonly database: Database) {}

  async create(secretHash: Buffer, returnTo: string, at: Date): Promise<void> {
    await this.database.queryWithoutTenant('create_login_attempt', 'select create_login_attempt($1, $2, $3)', [
      secretHash,
      returnTo,
      at,
    ]);
  }

  /** Deletes the attempt and returns its return path. Null if no attempt with this secret started after `startedAfter`. */
  async consume(secretHash: Buffer, startedAfter: Date): Promise<string | null> {
    const [row] = await this.database.queryWithoutTenant<{ readonly return_to: string }>(
      'consume_login_attempt',
      'select return_to from consume_login_attempt($1, $2)',
      [secretHash, startedAfter],
    );
    return row?.return_to ?? null;
  }
}
