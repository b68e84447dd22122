import { types } from 'node:util';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from './logger.js';
import { Readiness } from './readiness.js';

const CHECK_INTERVAL_MS = 1_000;

/**
 * Logs the start and the end of an outage once, because an operator must act on the outage and not on each failed
 * request. A failure that is over at the first check is not an outage.
 */
@Injectable()
export class OutageWatch implements OnModuleDestroy {
  #watching = false;
  #stopped = false;

  constructor(
    private readonly readiness: Readiness,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Notes a request that failed because a dependency did not answer. */
  note(requestId: string, err: unknown): void {
    this.log.warn({ requestId, cause: innermostMessage(err) }, 'request not served: something that it needs is away');
    if (this.#watching || this.#stopped) return;
    this.#watching = true;
    void this.#begin(err);
  }

  onModuleDestroy(): void {
    this.#stopped = true;
  }

  async #begin(err: unknown): Promise<void> {
    const missing = await this.readiness.findFailures();
    if (missing.length === 0 || this.#stopped) this.#watching = false;
    else {
      this.log.error({ missing, err }, 'something that requests need is away: they are answered 503');
      this.#scheduleCheck();
    }
  }

  #scheduleCheck(): void {
    setTimeout(() => void this.#check(), CHECK_INTERVAL_MS).unref();
  }

  async #check(): Promise<void> {
    if (this.#stopped) return;
    const missing = await this.readiness.findFailures();
    if (missing.length > 0) this.#scheduleCheck();
    else {
      this.#watching = false;
      this.log.info('what requests need is back');
    }
  }
}

/** Returns the innermost message. The outer ones come from libraries and do not name the cause. */
function innermostMessage(error: unknown): string {
  let innermost = error;
  while (types.isNativeError(innermost) && types.isNativeError(innermost.cause)) innermost = innermost.cause;
  return types.isNativeError(innermost) ? innermost.message : 'unknown';
}
