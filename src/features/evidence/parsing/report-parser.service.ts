import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import type { OrgId } from '../../../database/ids.js';
import { type Blocks, totalSize } from '../../../http/body/byte-blocks.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { LOGGER } from '../../../observability/logger.js';

import { type ParsedFile, parseFiles, type ParseRequest, type ParseResult } from './report-parsing.js';
import { type BodyParseRequest, type BodyParseResult, type ParsedBody, parseUploadBody } from './upload-body.js';

/** A request to a parser thread: the files or the JSON of an upload. */
export type ThreadRequest = ParseRequest | BodyParseRequest;
export type ThreadResult<Request extends ThreadRequest> = Request extends ParseRequest ? ParseResult : BodyParseResult;

/** Lists the buffers of a request, which are transferred without a copy. */
function listBlocks(request: ThreadRequest): Blocks {
  if ('files' in request) return request.files.flatMap(({ content }) => content);
  return 'body' in request ? request.body : [...(request.metrics ?? []), ...(request.reports ?? [])];
}

/** Parses in the current thread. `blocks` are the buffers of the result, which are transferred without a copy. */
export function processRequest(request: ThreadRequest): {
  readonly result: ParseResult | BodyParseResult;
  readonly blocks: Blocks;
} {
  if ('files' in request) {
    const result = parseFiles(request);
    return { result, blocks: 'files' in result ? result.files.flatMap(({ content }) => content) : [] };
  }
  const result = parseUploadBody(request);
  if ('rejected' in result) return { result, blocks: [] };
  const { contents, reports } = result.parsed;
  return { result, blocks: [...contents.flat(), ...reports.flatMap(({ content }) => content)] };
}

/** The script of the parser threads and the options of Node. The default is the built script. */
export class ParserThreadConfig {
  constructor(
    readonly url = new URL('./report-parsing.thread.js', import.meta.url),
    readonly execArgv: readonly string[] = [],
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
    this.worker = new Worker(url, { execArgv: [...execArgv], resourceLimits: RESOURCE_LIMITS });
    this.worker.unref();
    this.worker.once('exit', () => (this.alive = false));
    // `read` rejects with this error. Without a listener it would end the process.
    this.worker.on('error', () => undefined);
  }

  /** An idle thread may have ended, for example because of its memory limit. */
  get isAlive(): boolean {
    return this.alive;
  }

  /** Rejects if the thread ends or takes longer than a minute. The thread must not be used again then. */
  async read<Request extends ThreadRequest>(request: Request): Promise<ThreadResult<Request>> {
    const timeout = AbortSignal.timeout(PARSE_TIMEOUT_MS);
    const ended = new AbortController();
    const signal = AbortSignal.any([timeout, ended.signal]);
    const exit = (): void => ended.abort(new Error('the thread ended'));
    this.worker.once('exit', exit);
    try {
      this.worker.postMessage(
        request,
        listBlocks(request).map(({ buffer }) => buffer),
      );
      const [result] = (await once(this.worker, 'message', { signal })) as [ThreadResult<Request>];
      return result;
    } finally {
      this.worker.off('exit', exit);
    }
  }

  async end(): Promise<void> {
    await this.worker.terminate();
  }
}

/** Parsing this many bytes takes a few milliseconds, about as long as the use of a thread. */
const SMALL_BYTES = 65_536;
/** One core is left for the gate. */
const THREADS = Math.max(1, Math.min(4, availableParallelism() - 1));

type Waiting = (thread: ParserThread) => void;

/**
 * Parses the JSON and the files of uploads. Large ones are parsed in threads, because a report of 25 MB takes a second, in which the
 * process could not answer the gate. If all threads are busy, workspaces take turns.
 */
@Injectable()
export class ReportParserService implements OnApplicationShutdown {
  private readonly idle: ParserThread[] = [];
  /** By workspace, in the order of their turns. */
  private readonly waiting = new Map<OrgId, Waiting[]>();
  private threads = 0;

  constructor(
    private readonly source: ParserThreadConfig,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Parses the files. Throws `unprocessable` with file, line and cause if one of them is not valid. */
  async parse(orgId: OrgId, { files, kind }: ParseRequest): Promise<readonly ParsedFile[]> {
    const request = { files, kind };
    const result = isSmall(request) ? parseFiles(request) : await this.parseInThread(orgId, request);
    if ('rejected' in result) throw new DomainError('unprocessable', result.rejected);
    return result.files;
  }

  /** Parses the JSON of an upload. Throws a `DomainError` if it is not valid or exceeds the limits. */
  async readBody(orgId: OrgId, request: BodyParseRequest): Promise<ParsedBody> {
    const result = isSmall(request) ? parseUploadBody(request) : await this.parseInThread(orgId, request);
    if ('rejected' in result) throw new DomainError(result.rejected.code, result.rejected.message);
    return result.parsed;
  }

  /** Runs after all requests have ended, because uploads use the threads. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.idle.map((thread) => thread.end()));
  }

  private async parseInThread<Request extends ThreadRequest>(
    orgId: OrgId,
    request: Request,
  ): Promise<ThreadResult<Request>> {
    const thread = await this.acquireThread(orgId);
    try {
      const result = await thread.read(request);
      this.releaseThread(thread);
      return result;
    } catch (error) {
      await thread.end();
      this.replace();
      this.log.error({ err: error, orgId }, 'upload parser failed');
      throw new DomainError(
        'unprocessable',
        'The upload could not be parsed within the limits of time and memory. Split it into smaller uploads.',
        {
          cause: error,
        },
      );
    }
  }

  private acquireThread(orgId: OrgId): Promise<ParserThread> | ParserThread {
    for (let thread = this.idle.pop(); thread !== undefined; thread = this.idle.pop()) {
      if (thread.isAlive) return thread;
      this.threads -= 1;
    }
    if (this.threads < THREADS) {
      this.threads += 1;
      return new ParserThread(this.source);
    }
    return new Promise((resolve) => {
      this.waiting.set(orgId, [...(this.waiting.get(orgId) ?? []), resolve]);
    });
  }

  /** Removes the oldest waiting upload of the next workspace. That workspace then moves behind all others. */
  private nextWaiting(): Waiting | undefined {
    for (const [orgId, [first, ...rest]] of this.waiting) {
      this.waiting.delete(orgId);
      if (rest.length > 0) this.waiting.set(orgId, rest);
      return first;
    }
    return undefined;
  }

  private releaseThread(thread: ParserThread): void {
    const next = this.nextWaiting();
    if (next) next(thread);
    else this.idle.push(thread);
  }

  private replace(): void {
    const next = this.nextWaiting();
    if (next) next(new ParserThread(this.source));
    else this.threads -= 1;
  }
}

const isSmall = (request: ThreadRequest): boolean => totalSize(listBlocks(request)) <= SMALL_BYTES;
