// Starts the service with a clock that is behind by as much as the parent process says. The clock of its database is not. Evidence is not
// collected before its pull request is updated, so that months take seconds.
import 'reflect-metadata';
import { Clock } from '../../src/config/clock.js';
import { readEnvironment } from '../../src/config/read-environment.js';
import { EvidencePullDelay } from '../../src/features/releases/evaluation/release-evaluation.service.js';
import { createLogger } from '../../src/observability/logger.js';
import { startService } from '../../src/server/service.js';
import { runUntilSignal } from '../../src/server/shutdown.js';

class PastClock extends Clock {
  behindMs = 0;

  override now(): Date {
    return new Date(super.now().getTime() - this.behindMs);
  }
}

const clock = new PastClock();
process.on('message', (message) => {
  clock.behindMs = Number(message);
  process.send?.(message);
});
// The service ends without waiting for its parent.
process.channel?.unref();

const environment = readEnvironment(process.env);
const log = createLogger(environment.logLevel);
const parts = { clock, gathering: new EvidencePullDelay(0) };
const { url } = await runUntilSignal((stopping) => startService(environment, log, stopping, parts), log);
log.info({ url }, 'listening');
