import { Injectable } from '@nestjs/common';
import { freshTimes } from '../../auth/session/session-lifetime.js';
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

/** Events, and the users of those given who may receive them. */
export interface EventBatch {
  readonly events: readonly AddressedEvent[];
  /** The users whose membership is fresh. */
  readonly members: ReadonlySet<number>;
  /** The members of whom it is known which repositories they can read. */
  readonly knownReaders: ReadonlySet<number>;
}

/** Which events are read, and for whom. */
interface EventSelection {
  readonly userIds: readonly number[];
  readonly after: number;
  /** Null means events of any time. */
  readonly since: Date | null;
  /** Called after the events were read, because the wait for a connection may take seconds. */
  readonly now: () => Date;
}

const NO_USERS: ReadonlySet<number> = new Set();

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
  async listForUsers(orgId: OrgId, { userIds, after, since, now }: EventSelection): Promise<EventBatch> {
    // Encoded once for both statements. The driver would encode each number separately.
    const users = `{${userIds.join(',')}}`;
    return this.database.inTenant(orgId, async (tx) => {
      const events = await tx.query<WorkspaceEvent & { readonly readers: readonly number[] | null }>(
        `select ${COLUMNS}, case when r.private then array(
           select a.person::float8 from repository_access a
           where a.person = any ($2::bigint[]) and a.repository_github_id = r.github_id) end as readers
         from ${TABLES} where e.id > $1 and ($3::timestamptz is null or e.at > $3)
         order by e.id limit ${EVENT_BATCH_SIZE}`,
        [after, users, since],
      );
      if (events.length === 0) return { events: [], members: NO_USERS, knownReaders: NO_USERS };
      // Read after the events, so that a user who lost access before an event is known to have lost it here. One row, because
      // reading thousands of rows with times takes longer than sending the events.
      const fresh = freshTimes(now());
      const [found] = await tx.query<{ readonly members: string | null; readonly knownReaders: string | null }>(
        `select string_agg(person::text, ',') as members,
           string_agg(person::text, ',') filter (where access_observed_at > $2 and access_observed_at < $3) as "knownReaders"
         from member where person = any ($1::bigint[]) and confirmed_at > $2 and confirmed_at < $3`,
        [users, fresh.after, fresh.before],
      );
      const members = toIds(found?.members ?? null);
      return {
        events: events.map((event) => ({ ...event, readers: event.readers && new Set(event.readers) })),
        members,
        knownReaders: found?.knownReaders === found?.members ? members : toIds(found?.knownReaders ?? null),
      };
    });
  }
}

const toIds = (list: string | null): ReadonlySet<number> =>
  list === null ? NO_USERS : new Set(list.split(',').map(Number));
