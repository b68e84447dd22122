import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { StatementBatches } from '../../database/statement-batches.js';
import { ADD_JOBS, queueOf } from '../../jobs/job-sql.js';

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

interface Arrival {
  readonly delivery: NewDelivery;
  readonly now: Date;
}

/** A body of more is kept by itself, so that no statement holds many of them. */
const LARGE_CHARACTERS = 65_536;
/** Of an arrival: its GUID, event, installation, repository, body, moment and queue. */
const COLUMNS = ['text', 'text', 'bigint', 'bigint', 'text', 'timestamptz', 'text'] as const;

/** The inbox of deliveries. */
@Injectable()
export class DeliveriesRepository {
  readonly #received = new StatementBatches((arrivals: readonly Arrival[]) => this.#receiveAll(arrivals));

  constructor(private readonly database: Database) {}

  /** Keeps a delivery and the job that reads it, in one statement; one that was received before changes nothing. */
  async receive(delivery: NewDelivery, now: Date): Promise<void> {
    const isLarge = (delivery.body?.length ?? 0) > LARGE_CHARACTERS;
    await (isLarge ? this.#receiveAll([{ delivery, now }]) : this.#received.ask({ delivery, now }));
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

  /** What arrives in one moment is kept together: to add jobs one by one would take several times as long as to keep deliveries. */
  async #receiveAll(arrivals: readonly Arrival[]): Promise<readonly void[]> {
    const rows = arrivals.map((_, row) => {
      const at = row * COLUMNS.length;
      return `(${COLUMNS.map((type, column) => `$${at + column + 1}::${type}`).join(', ')})`;
    });
    await this.database.lookup(
      // Each number of rows is a statement of its own.
      `receive_webhooks_${arrivals.length}`,
      `with received as materialized (
         select guid, queue, receive_webhook(guid, event, installation, repository, body, at) as fresh
         from (values ${rows.join(', ')}) as arrived (guid, event, installation, repository, body, at, queue)),
       added as (
         select 'process-webhook' as name, json_build_object('guid', guid) as payload, queue, 'webhook:' || guid as key
         from (select distinct guid, queue from received where fresh) as fresh)
       ${ADD_JOBS}`,
      arrivals.flatMap(({ delivery: { guid, event, installationId, repositoryId, body }, now }) => {
        // Deliveries about one repository are read one after the other.
        const queue = queueOf({ kind: 'webhooks', of: String(repositoryId ?? installationId ?? 'app') });
        return [guid, event, installationId, repositoryId, body, now, queue];
      }),
    );
    return arrivals.map(() => undefined);
  }
}
