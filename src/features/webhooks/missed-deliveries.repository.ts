import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';

/** A delivery that GitHub lists and that is not in the inbox. */
export interface MissedDelivery {
  readonly guid: string;
  /** GitHub's id of the last attempt. */
  readonly deliveryId: number;
}

/** The highest number of redelivery requests for a delivery, and the pause after the first request. */
export interface RedeliverySchedule {
  readonly maxRequests: number;
  readonly firstPauseSeconds: number;
}

/** Stores missed deliveries, and the time up to which GitHub's list of deliveries was checked. */
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

  /** Saves those of the listed deliveries that are not in the inbox. */
  async saveMissing(listed: readonly MissedDelivery[], now: Date): Promise<void> {
    await this.database.queryWithoutTenant('insert_missed_deliveries', 'select insert_missed_deliveries($1, $2, $3)', [
      listed.map(({ guid }) => guid),
      listed.map(({ deliveryId }) => deliveryId),
      now,
    ]);
  }

  /** Returns the next delivery that is due, and counts it as requested; null if none is due. */
  async lease(now: Date, { maxRequests, firstPauseSeconds }: RedeliverySchedule): Promise<MissedDelivery | null> {
    const [missed] = await this.database.queryWithoutTenant<MissedDelivery>(
      'lease_missed_delivery',
      'select guid, delivery_id::float8 as "deliveryId" from lease_missed_delivery($1, $2, make_interval(secs => $3))',
      [now, maxRequests, firstPauseSeconds],
    );
    return missed ?? null;
  }

  async delete(guid: string): Promise<void> {
    await this.database.queryWithoutTenant('delete_missed_delivery', 'select delete_missed_delivery($1)', [guid]);
  }

  /** Deletes those that have arrived and those that were detected before the time. */
  async deleteOld(detectedBefore: Date): Promise<void> {
    await this.database.queryWithoutTenant('delete_missed_deliveries', 'select delete_missed_deliveries($1)', [
      detectedBefore,
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
