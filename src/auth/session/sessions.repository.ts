import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import type { MemberRole, Membership, User } from '../user.js';
import { ABSOLUTE_TIMEOUT_MS, clockSkewLimit, IDLE_TIMEOUT_MS } from './session-lifetime.js';

/** A live session: whose it is, and of which workspace. */
export interface SessionRecord {
  readonly user: User;
  readonly lastSeenAt: Date;
  /** Null where no workspace is selected, and where the person is no member of it any more. */
  readonly membership: Membership | null;
}

interface SessionRow {
  readonly user_id: string;
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

const sessionOf = (row: SessionRow): SessionRecord => ({
  user: { id: Number(row.user_id), login: row.login, name: row.name, avatarUrl: row.avatar_url },
  lastSeenAt: row.last_seen_at,
  membership: row.org_id && {
    orgId: row.org_id,
    org: row.org_login,
    role: row.role,
    confirmedAt: row.confirmed_at,
    accessObservedAt: row.access_observed_at,
  },
});

const INTERVAL_MS = 60_000;

/** Sessions, by the digest of their id. One that has ended stays ended: nothing here opens it again. Notes when a session was last used, at most once a minute. The request waits for it, and is served all the same where it could not be written: then the session only ends earlier. Finds sessions by the digest of their id, in one round trip. */
@Injectable()
export class SessionsRepository {
  readonly #logger = new Logger(SessionsRepository.name);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async create(idHash: Buffer, userId: number, workspace: OrgId | null, at: Date): Promise<void> {
    await this.database.queryWithoutTenant('create_session', 'select create_session($1, $2, $3, $4)', [
      idHash,
      userId,
      workspace,
      at,
    ]);
  }

  async end(idHash: Buffer, at: Date): Promise<void> {
    await this.database.queryWithoutTenant('end_session', 'select end_session($1, $2)', [idHash, at]);
  }

  /** Also what the person's next session begins with. Nothing happens to a session that has ended. */
  async selectWorkspace(idHash: Buffer, workspace: OrgId): Promise<void> {
    await this.database.queryWithoutTenant('select_workspace', 'select select_workspace($1, $2)', [idHash, workspace]);
  }

  /** For those of the person's sessions that work in none yet. */
  async selectFirstWorkspace(userId: number, workspace: OrgId): Promise<void> {
    await this.database.queryWithoutTenant('enter_first_workspace', 'select enter_first_workspace($1, $2)', [
      userId,
      workspace,
    ]);
  }

  /** The workspace that the person selected last; null where they never did. */
  async findLastWorkspace(userId: number): Promise<OrgId | null> {
    const [row] = await this.database.queryWithoutTenant<{ readonly workspace_id: OrgId }>(
      'get_last_workspace',
      'select workspace_id from get_last_workspace($1)',
      [userId],
    );
    return row?.workspace_id ?? null;
  }

  async touch(idHash: Buffer, { lastSeenAt }: Pick<SessionRecord, 'lastSeenAt'>): Promise<void> {
    const now = this.clock.now();
    const age = now.getTime() - lastSeenAt.getTime();
    if (lastSeenAt < clockSkewLimit(now) && age < INTERVAL_MS) return;
    try {
      await this.database.queryWithoutTenant('touch_session', 'select touch_session($1, $2, $3)', [
        idHash,
        now,
        clockSkewLimit(now),
      ]);
    } catch (error) {
      this.#logger.warn(`The use of a session could not be noted: ${String(error)}`);
    }
  }

  /** Null where there is none, it was ended, it was idle for too long, or its time is over. */
  async find(idHash: Buffer): Promise<SessionRecord | null> {
    const now = this.clock.now();
    const ago = (milliseconds: number): Date => new Date(now.getTime() - milliseconds);
    const [row] = await this.database.queryWithoutTenant<SessionRow>(
      'get_session',
      `select user_id, login, name, avatar_url, last_seen_at, org_id, org_login, role, confirmed_at, access_observed_at
       from get_session($1, $2, $3, $4)`,
      [idHash, ago(IDLE_TIMEOUT_MS), ago(ABSOLUTE_TIMEOUT_MS), clockSkewLimit(now)],
    );
    return row ? sessionOf(row) : null;
  }
}
