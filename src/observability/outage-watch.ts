import { types } from 'node:util';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from './logger.js';
import { Readiness } from './readiness.js';

const LOOK_AGAIN_MS = 1_000;

/**
 * Says once when something that requests need goes away, and once when it is back: somebody has to act on the outage, and
 * on none of the requests that fail meanwhile. A failure that is over before anybody can look is no outage.
 */
@Injectable()
export class OutageWatch implements OnModuleDestroy {
  #watching = false;
  #stopped = false;

  constructor(
    private readonly readiness: Readiness,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** A request failed because something that it needs did not answer. */
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
      this.#lookAgain();
    }
  }

  #lookAgain(): void {
    setTimeout(() => void this.#look(), LOOK_AGAIN_MS).unref();
  }

  async #look(): Promise<void> {
    if (this.#stopped) return;
    const missing = await this.readiness.findFailures();
    if (missing.length > 0) this.#lookAgain();
    else {
      this.#watching = false;
      this.log.info('what requests need is back');
    }
  }
}

/** The messages around it are those of libraries, and tell nothing of the cause. */
function innermostMessage(error: unknown): string {
  let innermost = error;
  while (types.isNativeError(innermost) && types.isNativeError(innermost.cause)) innermost = innermost.cause;
  return types.isNativeError(innermost) ? innermost.message : 'unknown';
}
