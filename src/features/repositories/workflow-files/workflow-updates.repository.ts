import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import type { TenantTx } from '../../../database/database.js';
import { EventsRecorder } from '../../../events/events.recorder.js';

/** The pull request by which a repository is being brought up to date. */
export interface ProposedUpdate {
  readonly number: number;
  readonly url: string;
  readonly branch: string;
  readonly revision: string;
}

/** The rows of updates that wait to be merged or closed. */
@Injectable()
export class WorkflowUpdatesRepository {
  constructor(
    private readonly events: EventsRecorder,
    private readonly clock: Clock,
  ) {}

  /** Null where none waits. */
  async find(tx: TenantTx, repositoryId: string): Promise<ProposedUpdate | null> {
    const [row] = await tx.query<ProposedUpdate>(
      `select pull_number as number, pull_url as url, branch, revision from workflow_update where repository_id = $1`,
      [repositoryId],
    );
    return row ?? null;
  }

  /** In place of any earlier one. True where that was not known yet. */
  async opened(tx: TenantTx, repositoryId: string, update: ProposedUpdate): Promise<boolean> {
    const { number, url, branch, revision } = update;
    const changed = await tx.query(
      `insert into workflow_update (org_id, repository_id, pull_number, pull_url, branch, revision, opened_at)
       values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (org_id, repository_id) do update set pull_number = excluded.pull_number, pull_url = excluded.pull_url,
         branch = excluded.branch, revision = excluded.revision, opened_at = excluded.opened_at
         where workflow_update.pull_number <> excluded.pull_number
       returning repository_id`,
      [tx.orgId, repositoryId, number, url, branch, revision, this.clock.now()],
    );
    if (changed.length === 0) return false;
    await this.events.emit(tx, { type: 'repo.updated', repositoryId });
    return true;
  }

  /** It was merged or closed. True where nobody had written that down yet. */
  async finished(tx: TenantTx, repositoryId: string, number: number): Promise<boolean> {
    const gone = await tx.query(
      'delete from workflow_update where repository_id = $1 and pull_number = $2 returning repository_id',
      [repositoryId, number],
    );
    if (gone.length === 0) return false;
    await this.events.emit(tx, { type: 'repo.updated', repositoryId });
    return true;
  }
}
