import { Injectable } from '@nestjs/common';
import { Clock } from '../config/clock.js';
import type { TenantTransaction } from '../database/database.js';

/** What a stream tells of: that something changed, never what it is now. */
export type EventType =
  | 'sync.started'
  | 'sync.progress'
  | 'sync.completed'
  | 'sync.failed'
  | 'release.updated'
  | 'review.updated'
  | 'repo.updated'
  | 'evidence.received';

export interface NewEvent {
  readonly type: EventType;
  /** Of whichever repository it tells: only who may read that one is told. */
  readonly repositoryId?: string;
  /** Of whichever release it tells, which belongs to that repository. */
  readonly milestoneId?: string;
}

/** Tells everybody who follows a workspace that something changed. */
@Injectable()
export class EventsRepository {
  constructor(private readonly clock: Clock) {}

  /**
   * Tells of a change in the transaction that makes it: both are kept or neither. Nothing is waited for here; the
   * event takes its place among the workspace's others when the transaction commits.
   */
  async append(tx: TenantTransaction, { type, repositoryId, milestoneId }: NewEvent): Promise<void> {
    await tx.queryPrepared(
      'emit_event',
      `insert into event (org_id, type, repository_id, release_id, at) values ($1, $2, $3, $4, $5)`,
      [tx.orgId, type, repositoryId ?? null, milestoneId ?? null, this.clock.now()],
    );
  }
}
