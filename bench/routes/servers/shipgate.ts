/** The service itself, which tells any message how much processor time it has used, in microseconds. */
import { serveShipgate } from '../../measuring/shipgate.js';

await serveShipgate();
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ micros: user + system });
});
