import { AsyncLocalStorage } from 'node:async_hooks';
import type { SetupStatement } from './pipelined-transaction.js';

/**
 * A condition that must hold while work writes. A paused worker may be considered dead, and another worker may have its
 * job when it continues.
 */
export interface Fence {
  /**
   * Fails with `FENCE_LOST` if the fence does not hold. Otherwise it makes sure that the fence holds until the
   * transaction ends.
   */
  readonly proof: SetupStatement;
  /** Creates the error for a broken fence. */
  readonly broken: () => Error;
}

/** The SQLSTATE of a failed proof. Postgres itself uses no code with this prefix. */
export const FENCE_LOST = 'SG001';

const current = new AsyncLocalStorage<Fence>();

/** Runs work in which every transaction begins with the proof of the fence. */
export const runWithFence = <T>(fence: Fence, work: () => Promise<T>): Promise<T> => current.run(fence, work);

/** Returns the fence of the current call. Null if there is none. */
export const currentFence = (): Fence | null => current.getStore() ?? null;
