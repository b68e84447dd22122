/** The service with limits for a file of 38 MB. It answers any message with its memory use and its longest stall. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { serveShipgate } from '../../measuring/shipgate.js';
import type { ServiceUsage } from '../reading.js';

await serveShipgate({ MAX_UPLOAD_BYTES: '60MB', MAX_FILE_BYTES: '50MB', MAX_INFLATED_BYTES: '60MB' });
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
process.on('message', () => {
  process.send?.({
    peakBytes: process.resourceUsage().maxRSS * 1_024,
    residentBytes: process.memoryUsage.rss(),
    stallMs: delay.max / 1e6,
  } satisfies ServiceUsage);
  delay.reset();
});
