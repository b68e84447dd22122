// Starts the service, whose clock is behind by as much as the parent process says. The clock of its database is not.
import { Clock } from '../../src/config/clock.js';

const present = new Clock();
let behindMs = 0;
Clock.prototype.now = () => new Date(present.system().getTime() - behindMs);
process.on('message', (message) => {
  behindMs = Number(message);
  process.send?.(message);
});
// The service ends without waiting for its parent.
process.channel?.unref();

await import('../../src/main.js');
