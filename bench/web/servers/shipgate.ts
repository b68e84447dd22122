/** The service, which answers any message with its processor time and its memory use. */
import { serveShipgate } from '../../measuring/shipgate.js';

/** The usage of the process since its start. */
export interface Usage {
  readonly micros: number;
  readonly residentBytes: number;
}

// All readers have one address.
await serveShipgate({ MAX_CONNECTIONS_PER_ADDRESS: '5000' });
process.on('message', () => {
  globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  process.send?.({ micros: user + system, residentBytes: process.memoryUsage.rss() } satisfies Usage);
});
