import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import { StatementBatcher } from '../../database/statement-batcher.js';
import type { Membership, User } from '../user.js';
import { ABSOLUTE_TIMEOUT_MS, clockSkewLimit, IDLE_TIMEOUT_MS } from './session-lifetime.js';

/** An active session with its user and the membership in the selected workspace. */
export interface SessionRecord {
  readonly user: User;
  readonly lastSeenAt: Date;
  /** Null if no workspace is selected, or the user is not a member any more. */
  readonly membership: SelectedMembership | null;
}

/** The membership in the selected workspace. */
export interface SelectedMembership extends Membership {
  /** Whether an admin lets the member read the audit log. An admin reads it in any case. */
  readonly auditor: boolean;
}

/** The membership of the user of a session in the workspace that it has selected. */
export interface SelectedWorkspace extends Pick<Membership, 'orgId' | 'confirmedAt'> {
  /** The hash of the session id, as hexadecimal digits. */
  readonly session: string;
}

/** The columns of a session. All are null if there is none. */
type SessionColumns = Omit<User, 'id'> &
  Pick<SessionRecord, 'lastSeenAt'> &
  Omit<SelectedMembership, 'orgId'> & { readonly id: number | null; readonly orgId: OrgId | null };

function toSessionRecord(row: SessionColumns): SessionRecord | null {
  const { id, login, name, avatarUrl, lastSeenAt, orgId, ...membership } = row;
  if (id === null) return null;
  return { user: { id, login, name, avatarUrl }, lastSeenAt, membership: orgId && { orgId, ...membership } };
}

const INTERVAL_MS = 60_000;

/** The sessions of users, by the hash of their id. A session that has ended never becomes active again. */
@Injectable()
export class SessionsRepository {
  readonly #logger = new Logger(SessionsRepository.name);
  readonly #byIdHash = new StatementBatcher((idHashes: readonly Buffer[]) => this.#findAll(idHashes));

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

  /** Also sets the workspace for the user's next session. Does nothing for a session that has ended. */
  async selectWorkspace(idHash: Buffer, workspace: OrgId): Promise<void> {
    await this.database.queryWithoutTenant('select_workspace', 'select select_workspace($1, $2)', [idHash, workspace]);
  }

  /** Selects the workspace in those sessions of the user that have none. */
  async selectFirstWorkspace(userId: number, workspace: OrgId): Promise<void> {
    await this.database.queryWithoutTenant('enter_first_workspace', 'select enter_first_workspace($1, $2)', [
      userId,
      workspace,
    ]);
  }

  /** Returns the workspace that the user selected last. Null if the user never selected one. */
  async findLastWorkspace(userId: number): Promise<OrgId | null> {
    const [row] = await this.database.queryWithoutTenant<{ readonly workspace_id: OrgId }>(
      'get_last_workspace',
      'select workspace_id from get_last_workspace($1)',
      [userId],
    );
    return row?.workspace_id ?? null;
  }

  /**
   * Saves the time of use, at most once a minute. The request waits for it, but an error does not fail the request: the session
   * only ends earlier.
   */
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
      this.#logger.warn(`The use of a session could not be saved: ${String(error)}`);
    }
  }

  /** Returns null if there is no such session, or it ended or expired. Requests at the same time share a statement. */
  async find(idHash: Buffer): Promise<SessionRecord | null> {
    return this.#byIdHash.submit(idHash);
  }

  /** Returns the memberships in the workspaces that these sessions have selected. A session without one, or that ended, is omitted. */
  async findSelectedWorkspaces(idHashes: readonly string[]): Promise<readonly SelectedWorkspace[]> {
    return this.database.queryWithoutTenant<SelectedWorkspace>(
      'get_selected_workspaces',
      `select session, org_id as "orgId", confirmed_at as "confirmedAt"
       from unnest($1::text[]) session, get_session(decode(session, 'hex'), $2, $3, $4) where org_id is not null`,
      [idHashes, ...this.#activeTimes()],
    );
  }

  /** Returns the session of each hash, in the order of the hashes. */
  async #findAll(idHashes: readonly Buffer[]): Promise<readonly (SessionRecord | null)[]> {
    const rows = await this.database.queryWithoutTenant<SessionColumns>(
      'get_sessions',
      `select user_id::float8 as id, login, name, avatar_url as "avatarUrl", last_seen_at as "lastSeenAt", org_id as "orgId",
         org_login as org, role, confirmed_at as "confirmedAt", access_observed_at as "accessObservedAt", auditor
       from unnest($1::bytea[]) with ordinality as wanted (hash, at) left join lateral get_session(hash, $2, $3, $4) on true
       order by at`,
      [idHashes, ...this.#activeTimes()],
    );
    return rows.map(toSessionRecord);
  }

  /** Returns the times after which an active session was used and created, and the one before which. */
  #activeTimes(): readonly [Date, Date, Date] {
    const now = this.clock.now();
    const ago = (milliseconds: number): Date => new Date(now.getTime() - milliseconds);
    return [ago(IDLE_TIMEOUT_MS), ago(ABSOLUTE_TIMEOUT_MS), clockSkewLimit(now)];
  }
}
