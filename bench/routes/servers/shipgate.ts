/** The service, which answers any message with its used processor time in microseconds. */
import { serveShipgate } from '../../measuring/shipgate.js';

await serveShipgate();
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ micros: user + system });
});
