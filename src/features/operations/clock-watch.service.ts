import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../config/clock.js';
import { clockDifference, MOST_OFF_MS } from '../../database/clock-difference.js';
import { Database } from '../../database/database.js';
import { GitHubGateway } from '../../github/github-gateway.js';
import { LOGGER } from '../../observability/logger.js';
import { Readiness } from '../../observability/readiness.js';

const COMPARE_EVERY_MS = 60_000;
const CHECK_JUMP_EVERY_MS = 1_000;
/** Smaller differences may be network delay. They do not matter, because GitHub reports whole seconds. */
const CORRECTED_FROM_MS = 1_000;
/** Equal to the tolerance for times in identity tokens and to the limit of the doctor. */
const MOST_OFF_GITHUB_MS = 30_000;

/**
 * Keeps the clock of this process equal to the clock of the database, which all processes share. So a fact that one process
 * observed expires at the right time in another, and the decisions of all processes have one order. A process whose clock differs
 * by more than five seconds is not ready, because one of the two clocks is wrong. If the time of the database differs from that
 * of GitHub by more than half a minute, a process that detects this is not ready, because its decisions would have wrong times.
 */
@Injectable()
export class ClockWatchService implements OnModuleInit, OnModuleDestroy {
  private differenceMs = 0;
  private agreesWithGitHub = true;
  private comparedAt = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    private readonly github: GitHubGateway,
    private readonly clock: Clock,
    private readonly readiness: Readiness,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async onModuleInit(): Promise<void> {
    this.readiness.register({
      name: 'clock',
      check: async () => {
        if (Math.abs(this.differenceMs) > MOST_OFF_MS) throw new Error('the clock differs from that of the database');
        if (!isNearGitHub(this.gitHubDifferenceMs())) throw new Error('the clock differs from that of GitHub');
      },
    });
    await this.compare();
    this.timer = setInterval(() => void this.compareIfDue(), CHECK_JUMP_EVERY_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** Compares the clocks every minute, and at once if this machine's clock was set. */
  async compareIfDue(): Promise<void> {
    const isDue = performance.now() - this.comparedAt >= COMPARE_EVERY_MS;
    // Without the database, the last difference stays valid. The readiness check of the database reports the outage.
    if (isDue || Math.abs(this.clock.jumpMs()) > CORRECTED_FROM_MS) await this.compare().catch(() => undefined);
  }

  /** Compares the clocks, and sets the clock of the service to that of the database if they differ. */
  async compare(): Promise<void> {
    this.comparedAt = performance.now();
    const before = clockStatus(this.differenceMs);
    this.differenceMs = await clockDifference(this.database, () => this.clock.system());
    const status = clockStatus(this.differenceMs);
    this.clock.set(status === 'right' ? 0 : this.differenceMs);
    this.logGitHubDifference();
    if (status === before) return;
    const seconds = Math.round(this.differenceMs / 1_000);
    if (status === 'right') this.log.info("this machine's clock and the database's agree again");
    else if (status === 'off') this.log.warn({ seconds }, `${DIFFERS} ${REMEDY}`);
    else this.log.error({ seconds }, `${DIFFERS} This process is not ready until they agree. ${REMEDY}`);
  }

  private logGitHubDifference(): void {
    const difference = this.gitHubDifferenceMs();
    const agrees = isNearGitHub(difference);
    if (agrees === this.agreesWithGitHub) return;
    this.agreesWithGitHub = agrees;
    const seconds = Math.round(difference / 1_000);
    if (agrees) this.log.info("the database's clock and GitHub's agree again");
    else this.log.error({ seconds }, `${DIFFERS_FROM_GITHUB} ${REMEDY}`);
  }

  /** Computed from the responses of the last ten minutes. */
  private gitHubDifferenceMs(): number {
    return this.github.clock.differenceMs(this.clock.now());
  }
}

const isNearGitHub = (differenceMs: number): boolean => Math.abs(differenceMs) <= MOST_OFF_GITHUB_MS;

const clockStatus = (differenceMs: number): 'right' | 'off' | 'wrong' => {
  const off = Math.abs(differenceMs);
  if (off > MOST_OFF_MS) return 'wrong';
  return off > CORRECTED_FROM_MS ? 'off' : 'right';
};

const DIFFERS =
  "this machine's clock differs from the database's, which the service uses; `seconds` is how far it is behind.";
const DIFFERS_FROM_GITHUB =
  "the database's clock, which the service uses, differs from GitHub's; `seconds` is how far it is behind. This process is not ready " +
  'until they agree.';
const REMEDY = 'Synchronize the clocks of both machines with NTP.';
