import { AsyncLocalStorage } from 'node:async_hooks';
import type { SetupStatement } from './pipelined-transaction.js';

/**
 * What must hold for as long as some work writes: a worker may be taken for gone while it merely stood still, and when it
 * goes on, what it was at is in others' hands.
 */
export interface Fence {
  /** Fails with `BROKEN` where it does not hold, and sees to it that it otherwise holds until the transaction ends. */
  readonly proof: SetupStatement;
  /** What whoever finds it broken is told. */
  readonly broken: () => Error;
}

/** The SQLSTATE with which a proof fails; none of Postgres's own begins like this. */
export const FENCE_LOST = 'SG001';

const current = new AsyncLocalStorage<Fence>();

/** Runs work each of whose transactions begins by proving that the fence holds. */
export const runWithFence = <T>(fence: Fence, work: () => Promise<T>): Promise<T> => current.run(fence, work);

/** The fence that is around whoever asks; null where there is none. */
export const currentFence = (): Fence | null => current.getStore() ?? null;
