import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import type { Membership, MemberRole, Person } from '../user.js';
import { ABSOLUTE_LIFE_MS, aheadOf, IDLE_LIFE_MS } from './session-lifetime.js';

/** A live session: whose it is, and of which workspace. */
export interface SessionRecord {
  readonly person: Person;
  readonly lastSeenAt: Date;
  /** Null where no workspace is selected, and where the person is no member of it any more. */
  readonly membership: Membership | null;
}

interface SessionRow {
  readonly person: string;
  readonly login: string;
  readonly name: string | null;
  readonly avatar_url: string;
  readonly last_seen_at: Date;
  readonly org_id: OrgId | null;
  readonly org_login: string;
  readonly role: MemberRole;
  readonly confirmed_at: Date;
  readonly access_observed_at: Date | null;
}

/** Finds sessions by the digest of their id, in one round trip. */
@Injectable()
export class SessionReader {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Null where there is none, it was ended, it was idle for too long, or its time is over. */
  async find(idHash: Buffer): Promise<SessionRecord | null> {
    const now = this.clock.now();
    const ago = (milliseconds: number): Date => new Date(now.getTime() - milliseconds);
    const [row] = await this.database.lookup<SessionRow>(
      'read_session',
      `select person, login, name, avatar_url, last_seen_at, org_id, org_login, role, confirmed_at, access_observed_at
       from read_session($1, $2, $3, $4)`,
      [idHash, ago(IDLE_LIFE_MS), ago(ABSOLUTE_LIFE_MS), aheadOf(now)],
    );
    return row ? sessionOf(row) : null;
  }
}

const sessionOf = (row: SessionRow): SessionRecord => ({
  person: { id: Number(row.person), login: row.login, name: row.name, avatarUrl: row.avatar_url },
  lastSeenAt: row.last_seen_at,
  membership: row.org_id && {
    orgId: row.org_id,
    org: row.org_login,
    role: row.role,
    confirmedAt: row.confirmed_at,
    accessObservedAt: row.access_observed_at,
  },
});
