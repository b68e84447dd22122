import { availableParallelism } from 'node:os';
import type { OrgId } from '../../../database/ids.js';
import { ParserThread, type ParserThreadConfig, type ThreadRequest, type ThreadResult } from './parser-thread.js';

/** One core is left for the gate. There are at least two threads, so that no workspace can hold all of them. */
const THREADS = Math.max(2, Math.min(4, availableParallelism() - 1));

/**
 * The parser threads, shared by the workspaces. A workspace that uses a thread never gets the last free one, so another workspace
 * never waits for the uploads of one alone. Where threads are missing, workspaces take turns.
 */
export class ParserThreads {
  private readonly idle: ParserThread[] = [];
  /** The number of used threads of each workspace that uses one. */
  private readonly used = new Map<OrgId, number>();
  /** The uploads of each workspace that wait, in the order of arrival. The workspaces are in the order of their turns. */
  private readonly waiting = new Map<OrgId, Set<() => void>>();
  private free: number;

  constructor(
    private readonly config: ParserThreadConfig,
    threads = THREADS,
  ) {
    this.free = threads;
  }

  /** The number of threads that parse, and of uploads that wait for one. */
  get load(): { readonly parsing: number; readonly waiting: number } {
    const sum = (counts: Iterable<number>): number => [...counts].reduce((all, count) => all + count, 0);
    return { parsing: sum(this.used.values()), waiting: sum([...this.waiting.values()].map(({ size }) => size)) };
  }

  /** Parses in a thread. Rejects if the thread fails, or with the reason of `signal` as soon as it aborts. */
  async run<Request extends ThreadRequest>(
    orgId: OrgId,
    request: Request,
    signal: AbortSignal,
  ): Promise<ThreadResult<Request>> {
    await this.acquire(orgId, signal);
    try {
      signal.throwIfAborted();
      return await this.parse(request, signal);
    } finally {
      this.release(orgId);
    }
  }

  /** Ends the idle threads. */
  async end(): Promise<void> {
    await Promise.all(this.idle.map((thread) => thread.end()));
  }

  private async parse<Request extends ThreadRequest>(
    request: Request,
    signal: AbortSignal,
  ): Promise<ThreadResult<Request>> {
    const thread = this.takeIdle() ?? new ParserThread(this.config);
    try {
      const result = await thread.read(request, signal);
      this.idle.push(thread);
      return result;
    } catch (error) {
      await thread.end();
      throw signal.aborted ? signal.reason : error;
    }
  }

  private takeIdle(): ParserThread | undefined {
    for (let thread = this.idle.pop(); thread !== undefined; thread = this.idle.pop())
      if (thread.isAlive) return thread;
    return undefined;
  }

  /** Resolves when the workspace may use one more thread. An upload whose `signal` aborts leaves the queue. */
  private acquire(orgId: OrgId, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const leave = (): void => {
        this.removeWaiting(orgId, start);
        reject(signal.reason as Error);
      };
      const start = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      signal.addEventListener('abort', leave, { once: true });
      const queue = this.waiting.get(orgId) ?? new Set();
      this.waiting.set(orgId, queue.add(start));
      this.startWaiting();
    });
  }

  private release(orgId: OrgId): void {
    const left = (this.used.get(orgId) ?? 1) - 1;
    if (left === 0) this.used.delete(orgId);
    else this.used.set(orgId, left);
    this.free += 1;
    this.startWaiting();
  }

  /** Starts the oldest upload of the next workspace that may use a thread, as long as there is one. */
  private startWaiting(): void {
    for (let next = this.findNext(); next !== undefined; next = this.findNext()) {
      const [orgId, start] = next;
      this.free -= 1;
      this.used.set(orgId, (this.used.get(orgId) ?? 0) + 1);
      const queue = this.waiting.get(orgId);
      this.removeWaiting(orgId, start);
      // The workspace moves behind all others.
      if (queue !== undefined && queue.size > 0 && this.waiting.delete(orgId)) this.waiting.set(orgId, queue);
      start();
    }
  }

  private findNext(): readonly [OrgId, () => void] | undefined {
    for (const [orgId, [first]] of this.waiting) {
      const isAllowed = this.free > 1 || (this.free === 1 && !this.used.has(orgId));
      if (isAllowed && first !== undefined) return [orgId, first];
    }
    return undefined;
  }

  private removeWaiting(orgId: OrgId, start: () => void): void {
    const queue = this.waiting.get(orgId);
    queue?.delete(start);
    if (queue?.size === 0) this.waiting.delete(orgId);
  }
}
