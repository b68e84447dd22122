import { parentPort } from 'node:worker_threads';
import { carry, type CarriedResult } from './carried-reading.js';
import { readFiles, type ReadingOrder } from './report-reading.js';

/** The files go back with the answer, without a copy: whoever asked keeps them. */
function answer(port: NonNullable<typeof parentPort>, result: CarriedResult): void {
  const buffers = 'files' in result ? result.files.map(({ content }) => content.buffer) : [];
  port.postMessage(result, buffers);
}

if (parentPort === null) throw new Error('This is run as a thread of the service.');
const port = parentPort;
port.on('message', (order: ReadingOrder) => answer(port, carry(readFiles(order))));
