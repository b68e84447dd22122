import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { processRequest, type ThreadRequest } from './report-parser.service.js';

/** The priority of the thread: on a busy core it gets about a tenth of the time of the threads that answer requests. */
const NICENESS = 10;

if (parentPort === null) throw new Error('This script must run as a worker thread.');
const port = parentPort;
// On Linux this sets the priority of the calling thread only. Elsewhere it would lower the priority of the whole process.
if (process.platform === 'linux') setPriority(NICENESS);
port.on('message', (request: ThreadRequest) => {
  const { result, blocks } = processRequest(request);
  port.postMessage(
    result,
    blocks.map(({ buffer }) => buffer),
  );
});
