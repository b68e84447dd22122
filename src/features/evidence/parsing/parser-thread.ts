import { once } from 'node:events';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Blocks } from '../../../http/body/byte-blocks.js';
import type { CoverageUnion, UniteRequest, ParseRequest, ParseResult } from './report-parsing.js';
import type { BodyParseRequest, BodyParseResult } from './upload-body.js';

/** A request to a parser thread: the files or the JSON of an upload, or the covered lines of several uploads. */
export type ThreadRequest = ParseRequest | BodyParseRequest | UniteRequest;
export type ThreadResult<Request extends ThreadRequest> = Request extends ParseRequest
  ? ParseResult
  : Request extends UniteRequest
    ? CoverageUnion
    : BodyParseResult;

/** Lists the buffers of a request, which are transferred without a copy. */
export function listBlocks(request: ThreadRequest): Blocks {
  if ('files' in request) return request.files.flatMap(({ content }) => content);
  if ('coverage' in request) return request.coverage;
  return 'body' in request ? request.body : [...(request.metrics ?? []), ...(request.reports ?? [])];
}

const EXTENSION = path.extname(import.meta.url);

/**
 * The script of the parser threads and the options of Node. The default is the built script without options, or the source with those of the
 * process (undefined), which compile it in `npm run dev`. A thread that inherits them may have options that `execArgv` rejects.
 */
export class ParserThreadConfig {
  constructor(
    readonly url = new URL(`./report-parsing.thread${EXTENSION}`, import.meta.url),
    readonly execArgv: readonly string[] | undefined = EXTENSION === '.ts' ? undefined : [],
  ) {}
}

/**
 * More than the largest valid upload needs. A hostile report ends only its thread, not the process. The young generation has half
 * of the usual size, because nearly all new objects die at once.
 */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 1_024, maxYoungGenerationSizeMb: 24 };
const PARSE_TIMEOUT_MS = 60_000;

/** A thread that parses one upload at a time. It does not keep the process alive. */
export class ParserThread {
  private readonly worker: Worker;
  private alive = true;

  constructor({ url, execArgv }: ParserThreadConfig) {
    this.worker = new Worker(url, { execArgv: execArgv && [...execArgv], resourceLimits: RESOURCE_LIMITS });
    this.worker.unref();
    this.worker.once('exit', () => (this.alive = false));
    // `read` rejects with this error. Without a listener it would end the process.
    this.worker.on('error', () => undefined);
  }

  /** An idle thread may have ended, for example because of its memory limit. */
  get isAlive(): boolean {
    return this.alive;
  }

  /** Rejects if the thread ends, takes longer than a minute, or `signal` aborts. The thread must not be used again then. */
  async read<Request extends ThreadRequest>(request: Request, signal: AbortSignal): Promise<ThreadResult<Request>> {
    const ended = new AbortController();
    const ending = AbortSignal.any([AbortSignal.timeout(PARSE_TIMEOUT_MS), ended.signal, signal]);
    const exit = (): void => ended.abort(new Error('the thread ended'));
    this.worker.once('exit', exit);
    try {
      this.worker.postMessage(
        request,
        listBlocks(request).map(({ buffer }) => buffer),
      );
      const [result] = (await once(this.worker, 'message', { signal: ending })) as [ThreadResult<Request>];
      return result;
    } finally {
      this.worker.off('exit', exit);
    }
  }

  /** Ends the thread and what it does. Resolves when its memory is free. */
  async end(): Promise<void> {
    await this.worker.terminate();
  }
}
