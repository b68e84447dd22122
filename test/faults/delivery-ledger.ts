import { setTimeout as sleep } from 'node:timers/promises';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { JOB_TABLE } from '../../src/database/job-tables.js';

const POLL_INTERVAL_MS = 250;

/** The stored deliveries and their effects, compared with the acknowledged deliveries. */
export class DeliveryLedger {
  constructor(private readonly superuserUrl: string) {}

  /** The acknowledged deliveries that were never processed. */
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
   * The acknowledged deliveries that are not processed although none was processed for `patienceMs`, each with its state. Makes each
   * waiting retry due at once, as if its delay had passed.
   */
  async listLost(acknowledged: ReadonlySet<string>, patienceMs: number): Promise<readonly object[]> {
    let undone = await this.listUndone(acknowledged);
    for (let progressAt = Date.now(); undone.length > 0 && Date.now() < progressAt + patienceMs;) {
      await this.hurry();
      await sleep(POLL_INTERVAL_MS);
      const left = await this.listUndone(acknowledged);
      if (left.length < undone.length) progressAt = Date.now();
      undone = left;
    }
    if (undone.length === 0) return [];
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

  /** The number of milestones with more than one release and of stage changes that were stored twice. */
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
