import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';

/** A delivery that the host made and the inbox does not hold. */
export interface MissedDelivery {
  readonly guid: string;
  /** The host's number of its last attempt. */
  readonly deliveryId: number;
}

/** How often a delivery is asked for, and how long after the first time it is asked for the second. */
export interface RedeliverySchedule {
  readonly askedAtMost: number;
  readonly firstPauseSeconds: number;
}

/** Which deliveries never came, and how far the host's list of them was looked through. */
@Injectable()
export class MissedDeliveriesRepository {
  constructor(private readonly database: Database) {}

  async getScanPosition(): Promise<Date | null> {
    const [row] = await this.database.queryWithoutTenant<{ readonly until: Date | null }>(
      'read_delivery_watch',
      'select read_delivery_watch() as until',
      [],
    );
    return row?.until ?? null;
  }

  async setScanPosition(until: Date): Promise<void> {
    await this.database.queryWithoutTenant('move_delivery_watch', 'select move_delivery_watch($1)', [until]);
  }

  /** Notes those that are not in the inbox. */
  async note(listed: readonly MissedDelivery[], now: Date): Promise<void> {
    await this.database.queryWithoutTenant('note_missed_webhooks', 'select note_missed_webhooks($1, $2, $3)', [
      listed.map(({ guid }) => guid),
      listed.map(({ deliveryId }) => deliveryId),
      now,
    ]);
  }

  /** The next whose turn it is, counted as asked for; null where it is nobody's. */
  async take(now: Date, { askedAtMost, firstPauseSeconds }: RedeliverySchedule): Promise<MissedDelivery | null> {
    const [row] = await this.database.queryWithoutTenant<{ readonly guid: string; readonly delivery_id: string }>(
      'take_missed_webhook',
      'select guid, delivery_id from take_missed_webhook($1, $2, make_interval(secs => $3))',
      [now, askedAtMost, firstPauseSeconds],
    );
    return row ? { guid: row.guid, deliveryId: Number(row.delivery_id) } : null;
  }

  async giveUp(guid: string): Promise<void> {
    await this.database.queryWithoutTenant('give_up_missed_webhook', 'select give_up_missed_webhook($1)', [guid]);
  }

  /** Forgets those that came meanwhile, and those that were noted before. */
  async forget(notedBefore: Date): Promise<void> {
    await this.database.queryWithoutTenant('forget_missed_webhooks', 'select forget_missed_webhooks($1)', [
      notedBefore,
    ]);
  }

  async count(): Promise<number> {
    const [row] = await this.database.queryWithoutTenant<{ readonly missed: string }>(
      'count_missed_webhooks',
      'select count_missed_webhooks() as missed',
      [],
    );
    return Number(row?.missed ?? 0);
  }
}
