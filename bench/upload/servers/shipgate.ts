/** The service itself with limits that let a file of 38 MB through, which tells what memory it held and how long it stood still. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { serveShipgate } from '../../measuring/shipgate.js';
import type { Fared } from '../reading.js';

await serveShipgate({ MAX_UPLOAD_BYTES: '60MB', MAX_FILE_BYTES: '50MB', MAX_INFLATED_BYTES: '60MB' });
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
process.on('message', () => {
  process.send?.({
    peakBytes: process.resourceUsage().maxRSS * 1_024,
    residentBytes: process.memoryUsage.rss(),
    stallMs: delay.max / 1e6,
  } satisfies Fared);
  delay.reset();
});
