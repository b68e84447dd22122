import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../config/clock.js';
import { clockDifference, MOST_OFF_MS } from '../../database/clock-difference.js';
import { Database } from '../../database/database.js';
import { LOGGER } from '../../observability/logger.js';
import { Readiness } from '../../observability/readiness.js';

const COMPARE_EVERY_MS = 60_000;
/** Smaller differences may be network delay. They do not matter, because GitHub reports whole seconds. */
const CORRECTED_FROM_MS = 1_000;

/**
 * Keeps the clock of this process equal to the clock of the database, which all processes share. So facts that one process observed
 * expire at the right time in another, and the decisions of all processes have one order. A process whose clock differs by more than
 * five seconds is not ready, because one of the two clocks is wrong.
 */
@Injectable()
export class ClockWatch implements OnModuleInit, OnModuleDestroy {
  private differenceMs = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly readiness: Readiness,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async onModuleInit(): Promise<void> {
    this.readiness.register({
      name: 'clock',
      check: async () => {
        if (Math.abs(this.differenceMs) > MOST_OFF_MS) throw new Error('the clock differs from that of the database');
      },
    });
    await this.compare();
    this.timer = setInterval(() => void this.compareAgain(), COMPARE_EVERY_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** Compares the two clocks, and shifts the clock of the service to that of the database if they differ. */
  async compare(): Promise<void> {
    const before = clockStatus(this.differenceMs);
    this.differenceMs = await clockDifference(this.database, () => this.clock.system());
    const status = clockStatus(this.differenceMs);
    this.clock.correct(status === 'right' ? 0 : this.differenceMs);
    if (status === before) return;
    const seconds = Math.round(this.differenceMs / 1_000);
    if (status === 'right') this.log.info("this machine's clock and the database's agree again");
    else if (status === 'off') this.log.warn({ seconds }, `${DIFFERS} ${REMEDY}`);
    else this.log.error({ seconds }, `${DIFFERS} This process is not ready until they agree. ${REMEDY}`);
  }

  /** Without the database, the last difference stays valid. The readiness check of the database reports the outage. */
  private async compareAgain(): Promise<void> {
    await this.compare().catch(() => undefined);
  }
}

const clockStatus = (differenceMs: number): 'right' | 'off' | 'wrong' => {
  const off = Math.abs(differenceMs);
  if (off > MOST_OFF_MS) return 'wrong';
  return off > CORRECTED_FROM_MS ? 'off' : 'right';
};

const DIFFERS =
  "this machine's clock differs from the database's, which the service goes by; `seconds` is how far it is behind.";
const REMEDY = 'Synchronize the clocks of both machines with NTP.';
