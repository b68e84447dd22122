import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import type { EventType } from '../../events/events.repository.js';
import type { WorkspaceEvent } from './workspace-event.js';

/** The maximum number of events that are read at once. */
export const EVENT_BATCH_SIZE = 500;

/** An event with those of the given users who can read its repository at GitHub; null means all. */
export interface AddressedEvent extends WorkspaceEvent {
  readonly readers: ReadonlySet<number> | null;
}

/** The state of a membership, as GitHub last confirmed it. */
interface MemberStatus {
  readonly confirmedAt: Date;
  readonly accessObservedAt: Date | null;
}

/** Events, and the memberships of their readers in the same snapshot. */
export interface EventBatch {
  readonly events: readonly AddressedEvent[];
  /** By person. Who is missing is no member. */
  readonly members: ReadonlyMap<number, MemberStatus>;
}

interface EventRow {
  readonly id: string;
  readonly type: EventType;
  readonly org: string;
  readonly repo: string | null;
  readonly release_id: string | null;
  readonly at: Date;
}

const COLUMNS = 'e.id, e.type, o.login as org, r.name as repo, e.release_id, e.at';
const TABLES = `
  event e join organization o on o.org_id = e.org_id left join repository r on r.id = e.repository_id`;

/** Reads the events of a workspace for the streams. */
@Injectable()
export class EventsQueries {
  constructor(private readonly database: Database) {}

  /** Returns the id of the latest event, or 0 if there is none. */
  async latest(orgId: OrgId): Promise<number> {
    const [row] = await this.database.inTenant(orgId, (tx) =>
      tx.query<{ readonly last_id: string }>('select last_id from event_sequence'),
    );
    return Number(row?.last_id ?? 0);
  }

  /** The events after the given one and since a moment, for all of these people in one go. */
  async listForUsers(
    userIds: readonly number[],
    orgId: OrgId,
    after: number,
    since: Date | null = null,
  ): Promise<EventBatch> {
    return this.database.inTenant(orgId, async (tx) => {
      const rows = await tx.query<EventRow & { readonly readers: readonly string[] | null }>(
        `select ${COLUMNS}, case when r.private then array(
           select a.person from repository_access a
           where a.person = any ($2::bigint[]) and a.repository_github_id = r.github_id) end as readers
         from ${TABLES} where e.id > $1 and ($3::timestamptz is null or e.at > $3)
         order by e.id limit ${EVENT_BATCH_SIZE}`,
        [after, userIds, since],
      );
      if (rows.length === 0) return { events: [], members: new Map() };
      // After the events: who lost the right to see one before it was written down is known to have lost it here.
      const members = await tx.query<{
        readonly person: string;
        readonly confirmed_at: Date;
        readonly access_observed_at: Date | null;
      }>('select person, confirmed_at, access_observed_at from member where person = any ($1::bigint[])', [userIds]);
      return {
        events: rows.map((row) => ({ ...eventOf(row), readers: row.readers && new Set(row.readers.map(Number)) })),
        members: new Map(
          members.map(({ person: userId, confirmed_at: confirmedAt, access_observed_at: accessObservedAt }) => [
            Number(userId),
            { confirmedAt, accessObservedAt },
          ]),
        ),
      };
    });
  }
}

const eventOf = ({ id, type, org, repo, release_id: milestoneId, at }: EventRow): WorkspaceEvent => ({
  id: Number(id),
  type,
  org,
  repo,
  milestoneId,
  at,
});
