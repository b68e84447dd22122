import { availableParallelism } from 'node:os';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import type { OrgId } from '../../../database/ids.js';
import { sizeOf } from '../../../http/body/byte-blocks.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { LOGGER } from '../../../observability/logger.js';
import { type BodyOrder, type ReadBody, readUploadBody } from '../upload/upload-body.js';
import { ReadingThread } from './reading-thread.js';
import { type ReadFile, readFiles, type ReadingOrder } from './report-parsing.js';
import { blocksOfOrder, type ThreadOrder, type ThreadResult } from './thread-order.js';
import { ThreadSource } from './thread-source.js';

/** Read in a few milliseconds, about what a thread costs. */
const SMALL_BYTES = 65_536;
/** One core is left to the gate. */
const THREADS = Math.max(1, Math.min(4, availableParallelism() - 1));

type Waiting = (thread: ReadingThread) => void;

/**
 * Reads the JSON and the files of uploads. Large ones are read by threads of their own, because a report of 25 MB takes a second of
 * computing, in which the process would answer no gate. Where all threads are busy, workspaces take turns.
 */
@Injectable()
export class ReportReader implements OnApplicationShutdown {
  private readonly idle: ReadingThread[] = [];
  /** By workspace, in the order of their turns. */
  private readonly waiting = new Map<OrgId, Waiting[]>();
  private threads = 0;

  constructor(
    private readonly source: ThreadSource,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** @throws DomainError `unprocessable` with file, line and cause where one of them cannot be read. */
  async read(orgId: OrgId, { files, kind }: ReadingOrder): Promise<readonly ReadFile[]> {
    const order = { files, kind };
    const result = isSmall(order) ? readFiles(order) : await this.readInThread(orgId, order);
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

  private takeThread(orgId: OrgId): Promise<ReadingThread> | ReadingThread {
    for (let thread = this.idle.pop(); thread !== undefined; thread = this.idle.pop()) {
      if (thread.isAlive) return thread;
      this.threads -= 1;
    }
    if (this.threads < THREADS) {
      this.threads += 1;
      return new ReadingThread(this.source);
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

  private giveBack(thread: ReadingThread): void {
    const next = this.nextWaiting();
    if (next) next(thread);
    else this.idle.push(thread);
  }

  private replace(): void {
    const next = this.nextWaiting();
    if (next) next(new ReadingThread(this.source));
    else this.threads -= 1;
  }
}

const isSmall = (order: ThreadOrder): boolean => sizeOf(blocksOfOrder(order)) <= SMALL_BYTES;
