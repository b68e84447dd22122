import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { ADD_JOB, addJobParameters } from '../../jobs/job-sql.js';

export interface NewDelivery {
  readonly guid: string;
  readonly event: string;
  readonly installationId: number | null;
  readonly repositoryId: number | null;
  /** Null for an event that is only remembered, so that it is not asked for again. */
  readonly body: string | null;
}

export interface KeptDelivery {
  readonly event: string;
  readonly installationId: number | null;
  readonly body: string | null;
  readonly status: 'pending' | 'done' | 'ignored' | 'dead';
}

/** The inbox of deliveries. */
@Injectable()
export class DeliveriesRepository {
  constructor(private readonly database: Database) {}

  /** Keeps a delivery and the job that reads it, in one statement; one that was received before changes nothing. */
  async receive({ guid, event, installationId, repositoryId, body }: NewDelivery, now: Date): Promise<void> {
    // Deliveries about one repository are read one after the other.
    const queue = { kind: 'webhooks', of: String(repositoryId ?? installationId ?? 'app') } as const;
    const job = addJobParameters('process-webhook', { guid }, { queue, key: `webhook:${guid}` });
    const renumbered = ADD_JOB.replaceAll(/\$(\d)/g, (_, digit: string) => `$${Number(digit) + 6}`);
    await this.database.lookup(
      'receive_webhook',
      `with received as (select receive_webhook($1, $2, $3, $4, $5, $6) as fresh)
       select (${renumbered}) from received where fresh`,
      [guid, event, installationId, repositoryId, body, now, ...job],
    );
  }

  async find(guid: string): Promise<KeptDelivery | null> {
    const [row] = await this.database.lookup<{
      event: string;
      installation_id: string | null;
      body: string | null;
      status: KeptDelivery['status'];
    }>('read_webhook', 'select event, installation_id, body, status from read_webhook($1)', [guid]);
    if (!row) return null;
    const { event, installation_id: installationId, body, status } = row;
    return { event, installationId: installationId === null ? null : Number(installationId), body, status };
  }

  async finish(guid: string, outcome: 'done' | 'ignored' | 'dead', error: string | null, now: Date): Promise<void> {
    await this.database.lookup('finish_webhook', 'select finish_webhook($1, $2, $3, $4)', [guid, outcome, error, now]);
  }

  /**
   * Makes dead letters of deliveries that nobody will try again though nobody gave them up: their worker ended in the middle
   * of the last try.
   */
  async buryStranded(now: Date): Promise<void> {
    await this.database.lookup(
      'bury_stranded_webhooks',
      `select finish_webhook(stranded.guid, 'dead', 'The last try was cut short.', $1)
       from (
         select job.payload ->> 'guid' as guid from graphile_worker._private_jobs job
         join graphile_worker._private_tasks task on task.id = job.task_id
         where task.identifier = 'process-webhook' and job.attempts >= job.max_attempts and job.locked_at is null
       ) stranded
       cross join lateral read_webhook(stranded.guid) delivery
       where delivery.status = 'pending'`,
      [now],
    );
  }

  /** Deliveries that were given up. */
  async countDead(): Promise<number> {
    const rows = await this.database.lookup<{ readonly status: string; readonly deliveries: string }>(
      'count_webhooks',
      'select status, deliveries from count_webhooks()',
      [],
    );
    return Number(rows.find(({ status }) => status === 'dead')?.deliveries ?? 0);
  }
}
