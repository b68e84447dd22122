import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { Database } from '../../database/database.js';
import { aheadOf } from './session-lifetime.js';
import type { SessionRecord } from './session.reader.js';

const INTERVAL_MS = 60_000;

/**
 * Notes when a session was last used, at most once a minute. The request waits for it, and is served all the same where
 * it could not be written: then the session only ends earlier.
 */
@Injectable()
export class SessionUseRecorder {
  readonly #logger = new Logger(SessionUseRecorder.name);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async note(idHash: Buffer, { lastSeenAt }: Pick<SessionRecord, 'lastSeenAt'>): Promise<void> {
    const now = this.clock.now();
    const age = now.getTime() - lastSeenAt.getTime();
    if (lastSeenAt < aheadOf(now) && age < INTERVAL_MS) return;
    try {
      await this.database.lookup('touch_session', 'select touch_session($1, $2, $3)', [idHash, now, aheadOf(now)]);
    } catch (error) {
      this.#logger.warn(`The use of a session could not be noted: ${String(error)}`);
    }
  }
}
