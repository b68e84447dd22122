import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import { EventsRepository } from '../../events/events.repository.js';
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
  /** By user id. A missing user is not a member. */
  readonly members: ReadonlyMap<number, MemberStatus>;
}

const COLUMNS =
  'e.id::float8 as id, e.type, o.login as org, r.name as repo, e.release_id as "milestoneId", e.what, e.at';
const TABLES = `
  event e join organization o on o.org_id = e.org_id left join repository r on r.id = e.repository_id`;

/** Reads the events of a workspace for the streams. */
@Injectable()
export class EventsQueries {
  constructor(
    private readonly database: Database,
    private readonly log: EventsRepository,
  ) {}

  /** Returns the id of the latest event, or 0 if there is none. */
  async latest(orgId: OrgId): Promise<number> {
    return this.database.inTenant(orgId, (tx) => this.log.findLatestId(tx));
  }

  /** Lists the events after an id and since a time, with their readers among these users. */
  async listForUsers(
    userIds: readonly number[],
    orgId: OrgId,
    after: number,
    since: Date | null = null,
  ): Promise<EventBatch> {
    return this.database.inTenant(orgId, async (tx) => {
      const events = await tx.query<WorkspaceEvent & { readonly readers: readonly number[] | null }>(
        `select ${COLUMNS}, case when r.private then array(
           select a.person::float8 from repository_access a
           where a.person = any ($2::bigint[]) and a.repository_github_id = r.github_id) end as readers
         from ${TABLES} where e.id > $1 and ($3::timestamptz is null or e.at > $3)
         order by e.id limit ${EVENT_BATCH_SIZE}`,
        [after, userIds, since],
      );
      if (events.length === 0) return { events: [], members: new Map() };
      // Read after the events, so that a user who lost access before an event is known to have lost it here.
      const members = await tx.query<MemberStatus & { readonly userId: number }>(
        `select person::float8 as "userId", confirmed_at as "confirmedAt", access_observed_at as "accessObservedAt"
         from member where person = any ($1::bigint[])`,
        [userIds],
      );
      return {
        events: events.map((event) => ({ ...event, readers: event.readers && new Set(event.readers) })),
        members: new Map(members.map(({ userId, ...member }) => [userId, member])),
      };
    });
  }
}
