import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import type { OrgId } from '../../../database/ids.js';
import { type Blocks, totalSize } from '../../../http/body/byte-blocks.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { LOGGER } from '../../../observability/logger.js';
import { type BodyOrder, type BodyResult, type ReadBody, readUploadBody } from '../upload/upload-body.js';
import { type ReadFile, parseFiles, type ParseRequest, type ParseResult } from './report-parsing.js';

/** The work of a thread: it reads the files of an upload, or the JSON that it came as. */
export type ThreadOrder = ParseRequest | BodyOrder;
export type ThreadResult<Order extends ThreadOrder> = Order extends ParseRequest ? ParseResult : BodyResult;

/** The bytes of an order, which are handed over without a copy. */
function blocksOfOrder(order: ThreadOrder): Blocks {
  if ('files' in order) return order.files.flatMap(({ content }) => content);
  return 'body' in order ? order.body : [...(order.metrics ?? []), ...(order.reports ?? [])];
}

/** Reads, on whatever thread it is called; `blocks` are the bytes of the result, which go back without a copy. */
export function carryOut(order: ThreadOrder): { readonly result: ParseResult | BodyResult; readonly blocks: Blocks } {
  if ('files' in order) {
    const result = parseFiles(order);
    return { result, blocks: 'files' in result ? result.files.flatMap(({ content }) => content) : [] };
  }
  const result = readUploadBody(order);
  if ('rejected' in result) return { result, blocks: [] };
  const { contents, reports } = result.read;
  return { result, blocks: [...contents.flat(), ...reports.flatMap(({ content }) => content)] };
}

/** What the threads that read reports run, and how Node is to load it; as it was built, unless it is said otherwise. */
export class ParserThreadConfig {
  constructor(
    readonly url = new URL('./report-parsing.thread.js', import.meta.url),
    readonly execArgv: readonly string[] = [],
  ) {}
}

/**
 * More than reading the largest upload takes, so that only a report made to harm ends its thread, and no process. What is
 * new is nearly all forgotten at once: with half of the usual room for it there is as little to keep, and less held.
 */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 1_024, maxYoungGenerationSizeMb: 24 };
const READING_MS = 60_000;

/** A thread that reads one upload at a time. It keeps no process alive. */
export class ParserThread {
  private readonly worker: Worker;
  private alive = true;

  constructor({ url, execArgv }: ParserThreadConfig) {
    this.worker = new Worker(url, { execArgv: [...execArgv], resourceLimits: RESOURCE_LIMITS });
    this.worker.unref();
    this.worker.once('exit', () => (this.alive = false));
    // Told to whoever waits for an answer; without a listener it would end the process.
    this.worker.on('error', () => undefined);
  }

  /** A thread may die while nobody waits for it, of what it held too long. */
  get isAlive(): boolean {
    return this.alive;
  }

  /** Rejects where the thread died of the order, or has not done it in a minute: then it is good for nothing more. */
  async read<Order extends ThreadOrder>(order: Order): Promise<ThreadResult<Order>> {
    const patience = AbortSignal.timeout(READING_MS);
    const ended = new AbortController();
    const signal = AbortSignal.any([patience, ended.signal]);
    const exit = (): void => ended.abort(new Error('the thread ended'));
    this.worker.once('exit', exit);
    try {
      this.worker.postMessage(
        order,
        blocksOfOrder(order).map(({ buffer }) => buffer),
      );
      const [result] = (await once(this.worker, 'message', { signal })) as [ThreadResult<Order>];
      return result;
    } finally {
      this.worker.off('exit', exit);
    }
  }

  async end(): Promise<void> {
    await this.worker.terminate();
  }
}

/** Read in a few milliseconds, about what a thread costs. */
const SMALL_BYTES = 65_536;
/** One core is left to the gate. */
const THREADS = Math.max(1, Math.min(4, availableParallelism() - 1));

type Waiting = (thread: ParserThread) => void;

/**
 * Reads the JSON and the files of uploads. Large ones are read by threads of their own, because a report of 25 MB takes a second of
 * computing, in which the process would answer no gate. Where all threads are busy, workspaces take turns.
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

  /** @throws DomainError `unprocessable` with file, line and cause where one of them cannot be read. */
  async parse(orgId: OrgId, { files, kind }: ParseRequest): Promise<readonly ReadFile[]> {
    const order = { files, kind };
    const result = isSmall(order) ? parseFiles(order) : await this.readInThread(orgId, order);
    if ('refused' in result) throw new DomainError('unprocessable', result.refused);
    return result.files;
  }

  /** @throws DomainError where it is no JSON, or is beyond the bounds of an upload. */
  async readBody(orgId: OrgId, order: BodyOrder): Promise<ReadBody> {
    const result = isSmall(order) ? readUploadBody(order) : await this.readInThread(orgId, order);
    if ('rejected' in result) throw new DomainError(result.rejected.code, result.rejected.message);
    return result.read;
  }

  /** Once requests are answered: until then an upload that was begun needs its thread. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.idle.map((thread) => thread.end()));
  }

  private async readInThread<Order extends ThreadOrder>(orgId: OrgId, order: Order): Promise<ThreadResult<Order>> {
    const thread = await this.takeThread(orgId);
    try {
      const result = await thread.read(order);
      this.giveBack(thread);
      return result;
    } catch (error) {
      await thread.end();
      this.replace();
      this.log.error({ err: error, orgId }, 'a thread could not read an upload');
      throw new DomainError('unprocessable', 'The upload could not be read within bounds of time and memory.', {
        cause: error,
      });
    }
  }

  private takeThread(orgId: OrgId): Promise<ParserThread> | ParserThread {
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

  /** The upload that has waited longest, of the workspace whose turn it is. The next turn of that workspace comes after those of all others. */
  private nextWaiting(): Waiting | undefined {
    for (const [orgId, [first, ...rest]] of this.waiting) {
      this.waiting.delete(orgId);
      if (rest.length > 0) this.waiting.set(orgId, rest);
      return first;
    }
    return undefined;
  }

  private giveBack(thread: ParserThread): void {
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

const isSmall = (order: ThreadOrder): boolean => totalSize(blocksOfOrder(order)) <= SMALL_BYTES;
