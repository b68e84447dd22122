import { availableParallelism } from 'node:os';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { sizeOf } from '../../http/body/block-gatherer.js';
import { DomainError } from '../../http/domain-error.js';
import { LOGGER } from '../../observability/logger.js';
import { ReadingThread } from './reading-thread.js';
import { type ReadFile, readFiles, type ReadingOrder, type ReadingResult } from './report-reading.js';
import { ThreadSource } from './thread-source.js';

/** Read in a few milliseconds, which is less than a thread costs. */
const SMALL_BYTES = 131_072;
/** One core is left to the gate. */
const THREADS = Math.max(1, Math.min(4, availableParallelism() - 1));

/**
 * Reads the files of uploads. Large ones are read by threads of their own, because a report of 25 MB takes a second of
 * computing, in which the process would answer no gate.
 */
@Injectable()
export class ReportReader implements OnApplicationShutdown {
  private readonly idle: ReadingThread[] = [];
  private readonly waiting: ((thread: ReadingThread) => void)[] = [];
  private threads = 0;

  constructor(
    private readonly source: ThreadSource,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** @throws DomainError `unprocessable` with file, line and cause where one of them cannot be read. */
  async read(order: ReadingOrder): Promise<readonly ReadFile[]> {
    const bytes = order.files.reduce((sum, { content }) => sum + sizeOf(content), 0);
    const result = bytes <= SMALL_BYTES ? readFiles(order) : await this.readInThread(order);
    if ('refused' in result) throw new DomainError('unprocessable', result.refused);
    return result.files;
  }

  /** Once requests are answered: until then an upload that was begun needs its thread. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.idle.map((thread) => thread.end()));
  }

  private async readInThread(order: ReadingOrder): Promise<ReadingResult> {
    const thread = await this.takeThread();
    try {
      const result = await thread.read(order);
      this.giveBack(thread);
      return result;
    } catch (error) {
      await thread.end();
      this.replace();
      this.log.error({ err: error, files: order.files.length }, 'a thread could not read an upload');
      throw new DomainError('unprocessable', 'The files could not be read within bounds of time and memory.', {
        cause: error,
      });
    }
  }

  private takeThread(): Promise<ReadingThread> | ReadingThread {
    for (let thread = this.idle.pop(); thread !== undefined; thread = this.idle.pop()) {
      if (thread.isAlive) return thread;
      this.threads -= 1;
    }
    if (this.threads < THREADS) {
      this.threads += 1;
      return new ReadingThread(this.source);
    }
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private giveBack(thread: ReadingThread): void {
    const next = this.waiting.shift();
    if (next) next(thread);
    else this.idle.push(thread);
  }

  private replace(): void {
    const next = this.waiting.shift();
    if (next) next(new ReadingThread(this.source));
    else this.threads -= 1;
  }
}
