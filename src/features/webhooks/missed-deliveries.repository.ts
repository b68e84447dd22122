import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';

/** A delivery that GitHub made and the inbox does not hold. */
export interface MissedDelivery {
  readonly guid: string;
  /** GitHub's number of its last attempt. */
  readonly deliveryId: number;
}

/** How often a delivery is asked for, and how long after the first time it is asked for the second. */
export interface RedeliverySchedule {
  readonly maxRequests: number;
  readonly firstPauseSeconds: number;
}

/** Which deliveries never came, and how far GitHub's list of them was looked through. */
@Injectable()
export class MissedDeliveriesRepository {
  constructor(private readonly database: Database) {}

  async getScanPosition(): Promise<Date | null> {
    const [row] = await this.database.queryWithoutTenant<{ readonly until: Date | null }>(
      'get_delivery_scan_position',
      'select get_delivery_scan_position() as until',
      [],
    );
    return row?.until ?? null;
  }

  async setScanPosition(until: Date): Promise<void> {
    await this.database.queryWithoutTenant('set_delivery_scan_position', 'select set_delivery_scan_position($1)', [
      until,
    ]);
  }

  /** Notes those that are not in the inbox. */
  async saveMissing(listed: readonly MissedDelivery[], now: Date): Promise<void> {
    await this.database.queryWithoutTenant('insert_missed_deliveries', 'select insert_missed_deliveries($1, $2, $3)', [
      listed.map(({ guid }) => guid),
      listed.map(({ deliveryId }) => deliveryId),
      now,
    ]);
  }

  /** The next whose turn it is, counted as asked for; null where it is nobody's. */
  async lease(now: Date, { maxRequests, firstPauseSeconds }: RedeliverySchedule): Promise<MissedDelivery | null> {
    const [row] = await this.database.queryWithoutTenant<{ readonly guid: string; readonly delivery_id: string }>(
      'lease_missed_delivery',
      'select guid, delivery_id from lease_missed_delivery($1, $2, make_interval(secs => $3))',
      [now, maxRequests, firstPauseSeconds],
    );
    return row ? { guid: row.guid, deliveryId: Number(row.delivery_id) } : null;
  }

  async delete(guid: string): Promise<void> {
    await this.database.queryWithoutTenant('delete_missed_delivery', 'select delete_missed_delivery($1)', [guid]);
  }

  /** Forgets those that came meanwhile, and those that were noted before. */
  async deleteOld(notedBefore: Date): Promise<void> {
    await this.database.queryWithoutTenant('delete_missed_deliveries', 'select delete_missed_deliveries($1)', [
      notedBefore,
    ]);
  }

  async count(): Promise<number> {
    const [row] = await this.database.queryWithoutTenant<{ readonly missed: string }>(
      'count_missed_deliveries',
      'select count_missed_deliveries() as missed',
      [],
    );
    return Number(row?.missed ?? 0);
  }
}
