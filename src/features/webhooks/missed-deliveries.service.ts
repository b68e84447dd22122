import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { AppCredentialsProvider } from '../../config/app-credentials.js';
import { Clock } from '../../config/clock.js';
import { GitHubGateway } from '../../github/github-gateway.js';
import { JobHandlers } from '../../jobs/job-handlers.js';
import { Metrics } from '../../observability/metrics.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { MissedDeliveriesRepository, type RedeliverySchedule } from './missed-deliveries.repository.js';

const MINUTE_MS = 60_000;
/** GitHub shows a delivery, and makes it again, for three days ("Redelivering webhooks"). */
const REDELIVERABLE_MS = 3 * 24 * 60 * MINUTE_MS;
/** What is younger may still be on its way into the inbox. */
const DELIVERY_DELAY_MS = MINUTE_MS;
/** Looked through again each time: GitHub's clock is not ours, and its list may be late. */
const OVERLAP_MS = 10 * MINUTE_MS;
/** 50,000 deliveries. Whatever lies behind them is made up for by the reconcile. */
const MAX_PAGES = 500;
/** The eighth time is more than ten hours after the first; then the reconcile has long said what the delivery would. */
const REDELIVERY_SCHEDULE: RedeliverySchedule = { maxRequests: 8, firstPauseSeconds: 300 };
/** So that a long silence does not become a burst of writes that GitHub would refuse. */
const MAX_REDELIVERIES_PER_RUN = 500;

/**
 * Finds deliveries that GitHub made and that are not in the inbox, and asks for them again. What GitHub says of their
 * outcome counts for nothing: one that was acknowledged and then lost looks delivered.
 */
@Injectable()
export class MissedDeliveriesService implements OnModuleInit {
  private readonly logger = new Logger(MissedDeliveriesService.name);
  private readonly requested: Counter<never>;

  constructor(
    private readonly missed: MissedDeliveriesRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly github: GitHubGateway,
    private readonly clock: Clock,
    private readonly credentials: AppCredentialsProvider,
    private readonly handlers: JobHandlers,
    metrics: Metrics,
  ) {
    this.requested = metrics.counter({
      name: 'shipgate_webhook_redeliveries_total',
      help: 'Missed deliveries that GitHub was asked to make again.',
      labels: [],
    });
    metrics.gauge('shipgate_webhook_deliveries_missed', 'Deliveries that GitHub made and that never came.', () =>
      this.missed.count(),
    );
  }

  onModuleInit(): void {
    this.handlers.register('find-missed-deliveries', () => this.detectAndRedeliver());
  }

  /** One round: gives up what nobody tries any more, notes what is missing, and asks for whatever has its turn. */
  async detectAndRedeliver(): Promise<void> {
    await this.deliveries.moveStrandedToDeadLetters(this.clock.now());
    // Until the app is set up there is nobody as whom GitHub could be asked.
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
    for await (const page of this.github.hookDeliveries.pages(MAX_PAGES)) {
      pages += 1;
      const listed = page.map(({ id, guid, deliveredAt }) => ({ guid, deliveryId: id, at: Date.parse(deliveredAt) }));
      await this.missed.saveMissing(
        listed.filter(({ at }) => at >= since && at <= until),
        now,
      );
      if (listed.some(({ at }) => at < since)) break;
      if (pages === MAX_PAGES) this.logger.warn('There are more deliveries than are looked through at once.');
    }
    // Only a walk that came to its end moves on: one that broke off is made again from where the last one ended.
    await this.missed.setScanPosition(new Date(until));
  }

  private async requestRedeliveries(now: Date): Promise<void> {
    for (let round = 0; round < MAX_REDELIVERIES_PER_RUN; round += 1) {
      const missed = await this.missed.lease(now, REDELIVERY_SCHEDULE);
      if (!missed) return;
      this.requested.inc();
      if (!(await this.github.hookDeliveries.redeliver(missed.deliveryId))) await this.missed.delete(missed.guid);
    }
  }
}
