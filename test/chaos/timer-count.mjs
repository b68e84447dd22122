// Loaded before the service. Writes the number of timers that keep the process alive to the file `TIMERS_FILE`.
import { writeFileSync } from 'node:fs';

const WRITE_EVERY_MS = 5_000;

setInterval(() => {
  const timers = process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout');
  writeFileSync(process.env.TIMERS_FILE, String(timers.length));
}, WRITE_EVERY_MS).unref();
