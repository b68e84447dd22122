import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ShutdownStep } from './shutdown.js';

const IN_FLIGHT_MS = 15_000;
const TIMEOUT_MS = 18_000;

/**
 * Stops listening, finishes what is in flight and runs the application's own hooks. Requests that are still not
 * finished after 15 s, the longest that one may take to arrive, are cut off.
 */
export function httpShutdown(app: NestFastifyApplication): ShutdownStep {
  return {
    name: 'http',
    timeoutMs: TIMEOUT_MS,
    async stop() {
      const cutOff = setTimeout(() => app.getHttpServer().closeAllConnections(), IN_FLIGHT_MS);
      try {
        await app.close();
      } finally {
        clearTimeout(cutOff);
      }
    },
  };
}
