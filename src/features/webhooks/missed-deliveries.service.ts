import { Injectable, Logger } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { AppCredentialsProvider } from '../../config/app-credentials.js';
import { Clock } from '../../config/clock.js';
import { GitHubGateway } from '../../github/github-gateway.js';
import { JobHandler } from '../../jobs/job-handlers.js';
import { Metrics } from '../../observability/metrics.js';
import { DeliveriesService } from './deliveries.service.js';
import { MissedDeliveriesRepository, type RedeliverySchedule } from './missed-deliveries.repository.js';

const MINUTE_MS = 60_000;
/** GitHub lists and redelivers a delivery for three days ("Redelivering webhooks"). */
const REDELIVERABLE_MS = 3 * 24 * 60 * MINUTE_MS;
/** A later delivery may still be on its way to the inbox. */
const DELIVERY_DELAY_MS = MINUTE_MS;
/** This part of the list is read again each time, because GitHub's clock differs from ours and its list may be late. */
const OVERLAP_MS = 10 * MINUTE_MS;
/** 50,000 deliveries. The sync finds the changes of older ones. */
const MAX_PAGES = 500;
/** The eighth request is more than ten hours after the first. By then a sync has found the change. */
const REDELIVERY_SCHEDULE: RedeliverySchedule = { maxRequests: 8, firstPauseSeconds: 300 };
/** Limits the requests after a long outage, because GitHub would reject too many writes. */
const MAX_REDELIVERIES_PER_RUN = 500;

/**
 * Finds deliveries that GitHub lists and that are not in the inbox, and requests their redelivery. Ignores the status that
 * GitHub reports, because a delivery that was acknowledged and then lost looks successful.
 */
@Injectable()
export class MissedDeliveriesService {
  private readonly logger = new Logger(MissedDeliveriesService.name);
  private readonly requested: Counter<never>;

  constructor(
    private readonly missed: MissedDeliveriesRepository,
    private readonly deliveries: DeliveriesService,
    private readonly github: GitHubGateway,
    private readonly clock: Clock,
    private readonly credentials: AppCredentialsProvider,
    metrics: Metrics,
  ) {
    this.requested = metrics.counter({
      name: 'shipgate_webhook_redeliveries_total',
      help: 'Redelivery requests for missed deliveries.',
      labels: [],
    });
    metrics.gauge(
      'shipgate_webhook_deliveries_missed',
      'Deliveries that GitHub lists and that are not in the inbox.',
      () => this.missed.count(),
    );
  }

  /** Moves stranded deliveries to the dead letters, saves missing deliveries, and requests the redeliveries that are due. */
  @JobHandler('find-missed-deliveries')
  async detectAndRedeliver(): Promise<void> {
    await this.deliveries.moveStrandedToDeadLetters(this.clock.now());
    // Without credentials of the app GitHub cannot be called.
    if (this.credentials.current() === null) return;
    const now = this.clock.now();
    await this.detect(now);
    await this.missed.deleteOld(new Date(now.getTime() - REDELIVERABLE_MS));
    await this.requestRedeliveries(now);
  }

  private async detect(now: Date): Promise<void> {
    const until = now.getTime() - DELIVERY_DELAY_MS;
    const scannedUntil = await this.missed.getScanPosition();
    const since = Math.max(now.getTime() - REDELIVERABLE_MS, (scannedUntil?.getTime() ?? 0) - OVERLAP_MS);
    let pages = 0;
    for await (const page of this.github.webhookDeliveries.pages(MAX_PAGES)) {
      pages += 1;
      const listed = page.map(({ id, guid, deliveredAt }) => ({ guid, deliveryId: id, at: Date.parse(deliveredAt) }));
      await this.missed.saveMissing(
        listed.filter(({ at }) => at >= since && at <= until),
        now,
      );
      if (listed.some(({ at }) => at < since)) break;
      if (pages === MAX_PAGES) this.logger.warn('GitHub lists more deliveries than one check reads.');
    }
    // Saved only after a complete read. After a failure the next run begins at the former position.
    await this.missed.setScanPosition(new Date(until));
  }

  private async requestRedeliveries(now: Date): Promise<void> {
    for (let requests = 0; requests < MAX_REDELIVERIES_PER_RUN; requests += 1) {
      const missed = await this.missed.lease(now, REDELIVERY_SCHEDULE);
      if (!missed) return;
      this.requested.inc();
      if (!(await this.github.webhookDeliveries.redeliver(missed.deliveryId))) await this.missed.delete(missed.guid);
    }
  }
}
