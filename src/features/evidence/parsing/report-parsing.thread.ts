import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import type { Blocks } from '../../../http/body/byte-blocks.js';
import { type CoverageUnion, uniteEncoded, parseFiles, type ParseResult } from './report-parsing.js';
import type { ThreadRequest } from './parser-thread.js';
import { type BodyParseResult, parseUploadBody } from './upload-body.js';

/** The priority of the thread: on a busy core it gets about a tenth of the time of the threads that answer requests. */
const NICENESS = 10;

if (parentPort === null) throw new Error('This script must run as a worker thread.');
const port = parentPort;
// On Linux this sets the priority of the calling thread only. Elsewhere it would lower the priority of the whole process.
if (process.platform === 'linux') setPriority(NICENESS);
port.on('message', (request: ThreadRequest) => {
  const result = processRequest(request);
  port.postMessage(
    result,
    listResultBlocks(result).map(({ buffer }) => buffer),
  );
});

function processRequest(request: ThreadRequest): ParseResult | BodyParseResult | CoverageUnion {
  if ('files' in request) return parseFiles(request);
  return 'coverage' in request ? uniteEncoded(request) : parseUploadBody(request);
}

/** Lists the buffers of a result, which are transferred without a copy. */
function listResultBlocks(result: ParseResult | BodyParseResult | CoverageUnion): Blocks {
  if ('rejected' in result) return [];
  if ('united' in result) return [result.united];
  if ('files' in result) return result.files.flatMap(({ content }) => content);
  const { contents, reports } = result.parsed;
  return [...contents.flat(), ...reports.flatMap(({ content }) => content)];
}
