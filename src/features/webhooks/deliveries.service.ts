import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { StatementBatcher } from '../../database/statement-batcher.js';
import { toJobPlacement, queueName } from '../../jobs/job.js';
import { ADD_JOBS, LOW_PRIORITY } from '../../jobs/jobs.service.js';
import { currentTraceparent } from '../../observability/tracing.js';

/** The object id of the type `text`, equal in every PostgreSQL database. */
const TEXT_OID = 25;
const INT_BYTES = 4;
/** The number of dimensions, a flag for nulls, the type, the length and the index of the first element. */
const HEAD_BYTES = 5 * INT_BYTES;

/**
 * Encodes a parameter of type `text[]` in PostgreSQL's binary format, from texts that are UTF-8 already. So nothing is
 * decoded, escaped or searched for quotes. Source: PostgreSQL, `array_send`.
 */
export function textArray(texts: readonly (Buffer | null)[]): Buffer {
  const size = texts.reduce((sum, text) => sum + INT_BYTES + (text?.length ?? 0), HEAD_BYTES);
  const array = Buffer.allocUnsafe(size);
  let at = 0;
  const write = (number: number): void => void (at = array.writeInt32BE(number, at));
  [1, texts.includes(null) ? 1 : 0, TEXT_OID, texts.length, 1].forEach(write);
  for (const text of texts) {
    write(text?.length ?? -1);
    at += text?.copy(array, at) ?? 0;
  }
  return array;
}

export interface NewDelivery {
  readonly guid: string;
  readonly event: string;
  readonly installationId: number | null;
  readonly repositoryId: number | null;
  /** UTF-8; null for an event of which only the GUID is stored, so that its redelivery is not requested. */
  readonly body: Buffer | null;
}

export interface StoredDelivery {
  readonly event: string;
  readonly installationId: number | null;
  readonly body: string | null;
  readonly status: 'pending' | 'done' | 'ignored' | 'dead';
}

interface ReceivedDelivery {
  readonly delivery: NewDelivery;
  readonly now: Date;
  /** The span that received it. The batch is sent from another one. */
  readonly traceparent: string | null;
}

/** If more deliveries of an installation wait, further ones get a low priority and hardly delay other organizations. */
const MAX_WAITING_AT_FULL_PRIORITY = 50;
/** A larger body is inserted alone. */
const LARGE_BYTES = 65_536;
/** While one statement is written to disk, the next one is sent and others gather. More concurrency would make smaller batches. */
const USUAL = { concurrency: 2, largest: 32 };
/** One delivery per statement, so that no statement holds many large bodies, and at most two connections. */
const LARGE = { concurrency: 2, largest: 1 };

/** The inbox of deliveries. */
@Injectable()
export class DeliveriesService {
  readonly #usual = new StatementBatcher((received: readonly ReceivedDelivery[]) => this.#insertAll(received), USUAL);
  readonly #large = new StatementBatcher((received: readonly ReceivedDelivery[]) => this.#insertAll(received), LARGE);

  constructor(private readonly database: Database) {}

  /** Saves a delivery and its job in one statement. A repeated delivery changes nothing. */
  async receive(delivery: NewDelivery, now: Date): Promise<void> {
    const isLarge = (delivery.body?.byteLength ?? 0) > LARGE_BYTES;
    await (isLarge ? this.#large : this.#usual).submit({ delivery, now, traceparent: currentTraceparent() });
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
   * Moves pending deliveries to the dead letters if no job retries them, because a worker was killed in the last attempt. If a
   * delivery arrived again, its key belongs to the newer job, so the key finds the one job that counts.
   */
  async moveStrandedToDeadLetters(now: Date): Promise<void> {
    await this.database.queryWithoutTenant(
      'move_stranded_to_dead_letters',
      `select complete_delivery(stranded.guid, 'dead', 'The worker stopped during the last attempt.', $1)
       from (
         select substr(key, length('webhook:') + 1) as guid from graphile_worker.jobs
         where task_identifier = 'process-webhook' and key like 'webhook:%' and attempts >= max_attempts and locked_at is null
       ) stranded
       cross join lateral get_delivery(stranded.guid) delivery
       where delivery.status = 'pending'`,
      [now],
    );
  }

  /** Counts the dead letters. */
  async countDead(): Promise<number> {
    const rows = await this.database.queryWithoutTenant<{ readonly status: string; readonly deliveries: string }>(
      'count_deliveries_by_status',
      'select status, deliveries from count_deliveries_by_status()',
      [],
    );
    return Number(rows.find(({ status }) => status === 'dead')?.deliveries ?? 0);
  }

  /** Saves concurrent deliveries together, because adding jobs one by one takes several times as long as saving deliveries. */
  async #insertAll(received: readonly ReceivedDelivery[]): Promise<readonly void[]> {
    const rows = deduplicate(received);
    await this.database.queryWithoutTenant(
      'insert_deliveries',
      `with inserted_delivery as materialized (
         select * from insert_deliveries($1, $2, $3, $4, $5, $7, ${MAX_WAITING_AT_FULL_PRIORITY}) as inserted (guid, later)),
       added as (
         select 'process-webhook' as name, json_strip_nulls(json_build_object('guid', guid, 'traceparent', traceparent)) as payload, queue, key,
           case when later then ${LOW_PRIORITY} else 0 end as priority
         from unnest($1::text[], $6::text[], $8::text[], $9::text[])
           with ordinality as received (guid, queue, key, traceparent, position)
         join inserted_delivery using (guid)
         order by position)
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
        rows.map(({ traceparent }) => traceparent),
      ],
    );
    return received.map(() => undefined);
  }
}

/** The queue of a delivery. Deliveries about one repository are processed one after the other. */
const queueFor = ({ repositoryId, installationId }: NewDelivery): string =>
  queueName({ kind: 'webhooks', of: String(repositoryId ?? installationId ?? 'app') });

/** Leaves out later deliveries with a GUID that is already in the list. */
function deduplicate(received: readonly ReceivedDelivery[]): readonly ReceivedDelivery[] {
  const byGuid = new Map<string, ReceivedDelivery>();
  for (const one of received) if (!byGuid.has(one.delivery.guid)) byGuid.set(one.delivery.guid, one);
  return [...byGuid.values()];
}
