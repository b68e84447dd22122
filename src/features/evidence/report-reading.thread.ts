import { parentPort } from 'node:worker_threads';
import { readFiles, type ReadingOrder, type ReadingResult } from './report-reading.js';

/** The files go back with the answer, without a copy: whoever asked keeps them. */
function answer(port: NonNullable<typeof parentPort>, result: ReadingResult): void {
  const buffers = 'files' in result ? result.files.flatMap(({ content }) => content.map(({ buffer }) => buffer)) : [];
  port.postMessage(result, buffers);
}

if (parentPort === null) throw new Error('This is run as a thread of the service.');
const port = parentPort;
port.on('message', (order: ReadingOrder) => answer(port, readFiles(order)));
