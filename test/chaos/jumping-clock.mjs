// Loaded before the service: a machine whose clock is wrong by as many milliseconds as the file in `CLOCK_FILE` says. Monotonic time and
// timers are right, as on such a machine.
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
// A proxy, so that dates of other origins stay instances of the same class.
globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now() + wrongByMs] : args, newTarget),
});
