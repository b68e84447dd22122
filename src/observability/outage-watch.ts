import { types } from 'node:util';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from './logger.js';
import { Readiness } from './readiness.js';

const CHECK_INTERVAL_MS = 1_000;

/** A line that may follow from an outage. */
interface NotedLine {
  readonly level: 'warn' | 'error';
  readonly fields: object;
  readonly message: string;
}

/**
 * Logs the start and the end of an outage once, because an operator must act on the outage and not on each failure that follows from it.
 * A failure that is over at the first check is not an outage.
 */
@Injectable()
export class OutageWatch implements OnModuleDestroy {
  /** The lines that wait for the first check. */
  #noted: NotedLine[] = [];
  /** The number of failures since the outage began; null if there is none. */
  #failures: number | null = null;
  #stopped = false;

  constructor(
    private readonly readiness: Readiness,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Notes a request that failed because a dependency did not answer. */
  note(requestId: string, err: unknown): void {
    const fields = { requestId, cause: innermostMessage(err) };
    this.noteLine({ level: 'warn', fields, message: 'request not served: a required service is unavailable' });
  }

  /** Logs the line unless it follows from an outage. */
  noteLine(line: NotedLine): void {
    if (this.#failures !== null) {
      this.#failures += 1;
      this.log.debug(line.fields, line.message);
      return;
    }
    if (this.#noted.push(line) === 1) void this.#check();
  }

  onModuleDestroy(): void {
    this.#stopped = true;
  }

  async #check(): Promise<void> {
    const missing = await this.readiness.findFailures();
    const noted = this.#noted;
    this.#noted = [];
    if (missing.length === 0 || this.#stopped) {
      for (const { level, fields, message } of noted) this.log[level](fields, message);
      return;
    }
    const [first] = noted;
    this.#failures = noted.length;
    this.log.error(
      { missing, first: first?.message, ...first?.fields },
      'a required service is unavailable: requests are answered with 503',
    );
    this.#scheduleEnd();
  }

  #scheduleEnd(): void {
    setTimeout(() => void this.#checkEnd(), CHECK_INTERVAL_MS).unref();
  }

  async #checkEnd(): Promise<void> {
    if (this.#stopped) return;
    const missing = await this.readiness.findFailures();
    if (missing.length > 0) return this.#scheduleEnd();
    this.log.info({ failures: this.#failures }, 'all required services are available again');
    this.#failures = null;
  }
}

/** Returns the innermost message, because the outer messages come from libraries and do not name the cause. */
function innermostMessage(error: unknown): string {
  let innermost = error;
  while (types.isNativeError(innermost) && types.isNativeError(innermost.cause)) innermost = innermost.cause;
  return types.isNativeError(innermost) ? innermost.message : 'unknown';
}
