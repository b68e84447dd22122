import { setTimeout as sleep } from 'node:timers/promises';
import { withClient } from '../../src/database/session.js';

const LOOK_MS = 250;

/** What the service's own tables say of the deliveries that it acknowledged and of what it did about them. */
export class DeliveryLedger {
  constructor(private readonly superuserUrl: string) {}

  /** Which of these were never done. */
  async listUndone(acknowledged: ReadonlySet<string>): Promise<readonly string[]> {
    const done = await withClient(this.superuserUrl, async (client) => {
      const { rows } = await client.query<{ guid: string }>(
        `select guid from webhook_delivery where status in ('done', 'ignored')`,
      );
      return new Set(rows.map(({ guid }) => guid));
    });
    return [...acknowledged].filter((guid) => !done.has(guid));
  }

  /** Which of these are not done when they should long have been. What waits for its next try is due at once, as if that time had passed. */
  async listLost(acknowledged: ReadonlySet<string>, patienceMs: number): Promise<readonly string[]> {
    await withClient(this.superuserUrl, (client) =>
      client.query(
        `update graphile_worker._private_jobs set run_at = now() where attempts < max_attempts and locked_at is null`,
      ),
    );
    const deadline = Date.now() + patienceMs;
    while (Date.now() < deadline && (await this.listUndone(acknowledged)).length > 0) await sleep(LOOK_MS);
    return this.listUndone(acknowledged);
  }

  /** Milestones with more than one release, and changes of stage that were written down twice. */
  async countDoubled(): Promise<number> {
    return withClient(this.superuserUrl, async (client) => {
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
