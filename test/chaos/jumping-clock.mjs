// Loaded before the service. Simulates a machine whose clock is wrong by the milliseconds in the file `CLOCK_FILE`.
// Monotonic time and timers stay right, as on such a machine.
import { readFileSync } from 'node:fs';

const READ_EVERY_MS = 200;

const now = Date.now.bind(Date);
let wrongByMs = 0;

setInterval(() => {
  try {
    wrongByMs = Number(readFileSync(process.env.CLOCK_FILE, 'utf8'));
  } catch {
    // The file is being written.
  }
}, READ_EVERY_MS).unref();

Date.now = () => now() + wrongByMs;
// A proxy, so that dates that other code created stay instances of the same class.
globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now() + wrongByMs] : args, newTarget),
});
