import { Injectable } from '@nestjs/common';
import { Clock } from '../config/clock.js';
import type { TenantTransaction } from '../database/database.js';

/** The event types. An event reports that an object changed, never its new content. */
export type EventType =
  | 'sync.started'
  | 'sync.progress'
  | 'sync.completed'
  | 'sync.failed'
  | 'release.updated'
  | 'review.updated'
  | 'repo.updated'
  | 'evidence.received'
  | 'deployment.updated'
  | 'artifact.updated'
  | 'workspace.updated';

/** A part of a workspace that belongs to no single repository. */
export type WorkspacePart = 'members' | 'keys' | 'plan' | 'freezes' | 'projects';

export interface NewEvent {
  readonly type: EventType;
  /** The repository of the event. Only users who can read it get the event. */
  readonly repositoryId?: string;
  /** The release of the event. It belongs to the repository of the event. */
  readonly milestoneId?: string;
  /** The changed part of the workspace. Only of `workspace.updated`, which requires it. */
  readonly what?: WorkspacePart;
}

/** The event log of a workspace. */
@Injectable()
export class EventsRepository {
  constructor(private readonly clock: Clock) {}

  /** Returns the id of the latest event, or 0 if there is none. */
  async findLatestId(tx: TenantTransaction): Promise<number> {
    const [row] = await tx.query<{ readonly lastId: number }>('select last_id::float8 as "lastId" from event_sequence');
    return row?.lastId ?? 0;
  }

  /**
   * Appends an event in the transaction of the change: both commit or neither. It does not wait. The position of the
   * event among the others of the workspace is set when the transaction commits. An event deletes those that are ten minutes older, so it
   * never has a time of the future. After a machine was suspended, its first events may get the time before that.
   */
  async append(tx: TenantTransaction, { type, repositoryId, milestoneId, what }: NewEvent): Promise<void> {
    await tx.queryPrepared(
      'emit_event',
      `insert into event (org_id, type, repository_id, release_id, at, what) values ($1, $2, $3, $4, $5, $6)`,
      [tx.orgId, type, repositoryId ?? null, milestoneId ?? null, this.clock.earliestNow(), what ?? null],
    );
  }
}
