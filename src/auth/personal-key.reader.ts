import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { OrgId } from '../database/ids.js';
import type { PersonalKeyScope } from '../domain/keys/personal-key-scope.js';
import type { PersonalKeyRecord } from './personal-key-record.js';
import type { MemberRole } from './user.js';

interface PersonalKeyRow {
  readonly org_id: OrgId;
  readonly id: string;
  readonly scope: PersonalKeyScope;
  readonly expires_at: Date;
  readonly revoked_at: Date | null;
  readonly last_used_at: Date | null;
  readonly person: string;
  readonly login: string;
  readonly name: string | null;
  readonly avatar_url: string;
  readonly org_login: string;
  readonly installed: boolean;
  /** Null where the owner is no member; then so are the times. */
  readonly role: MemberRole | null;
  readonly confirmed_at: Date;
  readonly access_observed_at: Date | null;
}

/** Finds personal keys before their workspace is known, in one round trip. */
@Injectable()
export class PersonalKeyReader {
  constructor(private readonly database: Database) {}

  /** The key with this hash, live or not; null where there is none. */
  async findByHash(secretHash: Buffer): Promise<PersonalKeyRecord | null> {
    const [row] = await this.database.lookup<PersonalKeyRow>(
      'find_personal_key',
      `select org_id, id, scope, expires_at, revoked_at, last_used_at, person, login, name, avatar_url, org_login,
         installed, role, confirmed_at, access_observed_at
       from find_personal_key($1)`,
      [secretHash],
    );
    return row ? recordOf(row) : null;
  }
}

const recordOf = (row: PersonalKeyRow): PersonalKeyRecord => ({
  orgId: row.org_id,
  keyId: row.id,
  scope: row.scope,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  lastUsedAt: row.last_used_at,
  person: { id: Number(row.person), login: row.login, name: row.name, avatarUrl: row.avatar_url },
  installed: row.installed,
  membership: row.role && {
    orgId: row.org_id,
    org: row.org_login,
    role: row.role,
    confirmedAt: row.confirmed_at,
    accessObservedAt: row.access_observed_at,
  },
});
