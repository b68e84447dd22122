import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';

/** Sessions, by the digest of their id. One that has ended stays ended: nothing here opens it again. */
@Injectable()
export class SessionsRepository {
  constructor(private readonly database: Database) {}

  async open(idHash: Buffer, person: number, workspace: OrgId | null, at: Date): Promise<void> {
    await this.database.lookup('open_session', 'select open_session($1, $2, $3, $4)', [idHash, person, workspace, at]);
  }

  async end(idHash: Buffer, at: Date): Promise<void> {
    await this.database.lookup('end_session', 'select end_session($1, $2)', [idHash, at]);
  }

  /** Also what the person's next session begins with. Nothing happens to a session that has ended. */
  async selectWorkspace(idHash: Buffer, workspace: OrgId): Promise<void> {
    await this.database.lookup('select_workspace', 'select select_workspace($1, $2)', [idHash, workspace]);
  }

  /** For those of the person's sessions that work in none yet. */
  async enterFirstWorkspace(person: number, workspace: OrgId): Promise<void> {
    await this.database.lookup('enter_first_workspace', 'select enter_first_workspace($1, $2)', [person, workspace]);
  }

  /** The workspace that the person selected last; null where they never did. */
  async lastWorkspace(person: number): Promise<OrgId | null> {
    const [row] = await this.database.lookup<{ readonly workspace: OrgId }>(
      'read_last_workspace',
      'select workspace from read_last_workspace($1)',
      [person],
    );
    return row?.workspace ?? null;
  }
}
