import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { carryOut, type ThreadOrder } from './report-parser.service.js';

/** The priority of the thread: on a busy core it gets about a tenth of the time of the threads that answer requests. */
const NICENESS = 10;

if (parentPort === null) throw new Error('This is run as a thread of the service.');
const port = parentPort;
// Linux takes the calling thread for the process here, so the others keep their priority; elsewhere all of them would lose it.
if (process.platform === 'linux') setPriority(NICENESS);
port.on('message', (order: ThreadOrder) => {
  const { result, blocks } = carryOut(order);
  port.postMessage(
    result,
    blocks.map(({ buffer }) => buffer),
  );
});
