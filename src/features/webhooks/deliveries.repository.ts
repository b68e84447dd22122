import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { StatementBatcher } from '../../database/statement-batcher.js';
import { toJobPlacement, queueName } from '../../jobs/job.js';
import { ADD_JOBS, LOW_PRIORITY } from '../../jobs/jobs.service.js';

/** The type of its elements, `text`, in the catalogue of every Postgres. */
const TEXT_OID = 25;
const INT_BYTES = 4;
/** Dimensions, whether there are nulls, type, length, and the number of the first element. */
const HEAD_BYTES = 5 * INT_BYTES;

/**
 * A parameter of type `text[]` in Postgres' binary form, of texts that are UTF-8 already: nothing of them is decoded, escaped or
 * searched for quotes. Source: PostgreSQL, `array_send`.
 */
export function textArray(texts: readonly (Buffer | null)[]): Buffer {
  const size = texts.reduce((sum, text) => sum + INT_BYTES + (text?.length ?? 0), HEAD_BYTES);
  const array = Buffer.allocUnsafe(size);
  let at = 0;
  const put = (number: number): void => void (at = array.writeInt32BE(number, at));
  [1, texts.includes(null) ? 1 : 0, TEXT_OID, texts.length, 1].forEach(put);
  for (const text of texts) {
    put(text?.length ?? -1);
    at += text?.copy(array, at) ?? 0;
  }
  return array;
}

export interface NewDelivery {
  readonly guid: string;
  readonly event: string;
  readonly installationId: number | null;
  readonly repositoryId: number | null;
  /** UTF-8; null for an event that is only remembered, so that it is not asked for again. */
  readonly body: Buffer | null;
}

export interface StoredDelivery {
  readonly event: string;
  readonly installationId: number | null;
  readonly body: string | null;
  readonly status: 'pending' | 'done' | 'ignored' | 'dead';
}

interface Arrival {
  readonly delivery: NewDelivery;
  readonly now: Date;
}

/**
 * How many deliveries of an installation may wait: those that come then are read after the work of others. A flood of one
 * organization waits for itself, and hardly anybody else waits for it.
 */
const MOST_WAITING = 50;
/** A body of more is large. */
const LARGE_BYTES = 65_536;
/** While one statement is written to disk the next one is sent, and others gather for the one after: more at once would be smaller ones. */
const USUAL = { underWay: 2, largest: 32 };
/** One in a statement, so that none holds many of them, and two of the pool's connections at most. */
const LARGE = { underWay: 2, largest: 1 };

/** The inbox of deliveries. */
@Injectable()
export class DeliveriesRepository {
  readonly #usual = new StatementBatcher((arrivals: readonly Arrival[]) => this.#receiveAll(arrivals), USUAL);
  readonly #large = new StatementBatcher((arrivals: readonly Arrival[]) => this.#receiveAll(arrivals), LARGE);

  constructor(private readonly database: Database) {}

  /** Keeps a delivery and the job that reads it, in one statement; one that was received before changes nothing. */
  async receive(delivery: NewDelivery, now: Date): Promise<void> {
    const isLarge = (delivery.body?.byteLength ?? 0) > LARGE_BYTES;
    await (isLarge ? this.#large : this.#usual).submit({ delivery, now });
  }

  async find(guid: string): Promise<StoredDelivery | null> {
    const [row] = await this.database.queryWithoutTenant<{
      event: string;
      installation_id: string | null;
      body: string | null;
      status: StoredDelivery['status'];
    }>('get_delivery', 'select event, installation_id, body, status from get_delivery($1)', [guid]);
    if (!row) return null;
    const { event, installation_id: installationId, body, status } = row;
    return { event, installationId: installationId === null ? null : Number(installationId), body, status };
  }

  async finish(guid: string, outcome: 'done' | 'ignored' | 'dead', error: string | null, now: Date): Promise<void> {
    await this.database.queryWithoutTenant('complete_delivery', 'select complete_delivery($1, $2, $3, $4)', [
      guid,
      outcome,
      error,
      now,
    ]);
  }

  /**
   * Makes dead letters of pending deliveries that no job retries, because a worker was killed in the last attempt. If a delivery
   * arrived again, its key belongs to the newer job, so the key finds the one job that counts.
   */
  async moveStrandedToDeadLetters(now: Date): Promise<void> {
    await this.database.queryWithoutTenant(
      'move_stranded_to_dead_letters',
      `select complete_delivery(stranded.guid, 'dead', 'The last try was cut short.', $1)
       from (
         select substr(key, length('webhook:') + 1) as guid from graphile_worker.jobs
         where task_identifier = 'process-webhook' and key like 'webhook:%' and attempts >= max_attempts and locked_at is null
       ) stranded
       cross join lateral get_delivery(stranded.guid) delivery
       where delivery.status = 'pending'`,
      [now],
    );
  }

  /** Deliveries that were given up. */
  async countDead(): Promise<number> {
    const rows = await this.database.queryWithoutTenant<{ readonly status: string; readonly deliveries: string }>(
      'count_deliveries_by_status',
      'select status, deliveries from count_deliveries_by_status()',
      [],
    );
    return Number(rows.find(({ status }) => status === 'dead')?.deliveries ?? 0);
  }

  /** What arrives in one moment is kept together: to add jobs one by one would take several times as long as to keep deliveries. */
  async #receiveAll(arrivals: readonly Arrival[]): Promise<readonly void[]> {
    const rows = firstOfEach(arrivals);
    await this.database.queryWithoutTenant(
      'insert_deliveries',
      `with received as materialized (
         select * from insert_deliveries($1, $2, $3, $4, $5, $7, ${MOST_WAITING}) as kept (guid, later)),
       added as (
         select 'process-webhook' as name, json_build_object('guid', guid) as payload, queue, key,
           case when later then ${LOW_PRIORITY} else 0 end as priority
         from unnest($1::text[], $6::text[], $8::text[]) with ordinality as arrived (guid, queue, key, place)
         join received using (guid)
         order by place)
       ${ADD_JOBS}`,
      [
        rows.map(({ delivery }) => delivery.guid),
        rows.map(({ delivery }) => delivery.event),
        rows.map(({ delivery }) => delivery.installationId),
        rows.map(({ delivery }) => delivery.repositoryId),
        rows.map(({ now }) => now),
        rows.map(({ delivery }) => queueFor(delivery)),
        textArray(rows.map(({ delivery }) => delivery.body)),
        rows.map(({ delivery: { guid } }) => toJobPlacement('process-webhook', { guid }).key),
      ],
    );
    return arrivals.map(() => undefined);
  }
}

/** Deliveries about one repository are read one after the other. */
const queueFor = ({ repositoryId, installationId }: NewDelivery): string =>
  queueName({ kind: 'webhooks', of: String(repositoryId ?? installationId ?? 'app') });

/** Of those that came twice the first, as if they had come one after the other. */
function firstOfEach(arrivals: readonly Arrival[]): readonly Arrival[] {
  const byGuid = new Map<string, Arrival>();
  for (const arrival of arrivals) if (!byGuid.has(arrival.delivery.guid)) byGuid.set(arrival.delivery.guid, arrival);
  return [...byGuid.values()];
}
