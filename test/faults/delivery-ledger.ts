import { setTimeout as sleep } from 'node:timers/promises';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { JOB_TABLE } from '../../src/jobs/job-table.js';

const POLL_INTERVAL_MS = 250;

/** What the service's own tables say of the deliveries that it acknowledged and of what it did about them. */
export class DeliveryLedger {
  constructor(private readonly superuserUrl: string) {}

  /** Which of these were never done. */
  private async listUndone(acknowledged: ReadonlySet<string>): Promise<readonly string[]> {
    const done = await withDedicatedClient(this.superuserUrl, async (client) => {
      const { rows } = await client.query<{ guid: string }>(
        `select guid from webhook_delivery where status in ('done', 'ignored')`,
      );
      return new Set(rows.map(({ guid }) => guid));
    });
    return [...acknowledged].filter((guid) => !done.has(guid));
  }

  /**
   * Which of these are not done when they should long have been, and how they stand. What waits for its next try is due at once, as if
   * that time had passed.
   */
  async listLost(acknowledged: ReadonlySet<string>, patienceMs: number): Promise<readonly object[]> {
    for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await sleep(POLL_INTERVAL_MS)) {
      if ((await this.listUndone(acknowledged)).length === 0) return [];
      await this.hurry();
    }
    const undone = await this.listUndone(acknowledged);
    return withDedicatedClient(this.superuserUrl, async (client) => {
      const { rows } = await client.query<object>(
        `select asked.guid, delivery.status, delivery.last_error, job.attempts, job.locked_by, job.last_error as job_error
         from unnest($1::text[]) as asked (guid) left join webhook_delivery delivery using (guid)
         left join graphile_worker.jobs job on job.key = 'webhook:' || asked.guid`,
        [undone],
      );
      return rows;
    });
  }

  private async hurry(): Promise<void> {
    await withDedicatedClient(this.superuserUrl, (client) =>
      client.query(
        `update ${JOB_TABLE} set run_at = now()
         where run_at > now() and attempts < max_attempts and locked_at is null`,
      ),
    );
  }

  /** Milestones with more than one release, and changes of stage that were written down twice. */
  async countDoubled(): Promise<number> {
    return withDedicatedClient(this.superuserUrl, async (client) => {
      const { rows } = await client.query<{ doubled: string }>(
        `select (select count(*) from (select 1 from release group by milestone_github_id having count(*) > 1) r)
           + (select count(*) from (
                select lag(to_stage) over (partition by release_id order by id) as before, to_stage from stage_transition) t
              where before = to_stage) as doubled`,
      );
      return Number(rows[0]?.doubled);
    });
  }
}
