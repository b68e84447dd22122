import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * What must hold for as long as some work writes: a worker may be taken for gone while it merely stood still, and when it
 * goes on, what it was at is in others' hands.
 */
export interface Fence {
  /** Statements, the last of which answers a row while it holds; they see to it that it then holds until the transaction ends. */
  readonly statement: string;
  /** What whoever finds it broken is told. */
  readonly broken: () => Error;
}

const current = new AsyncLocalStorage<Fence>();

/** Runs work each of whose transactions begins by proving that the fence holds. */
export const within = <T>(fence: Fence, work: () => Promise<T>): Promise<T> => current.run(fence, work);

/** The fence that is around whoever asks; null where there is none. */
export const currentFence = (): Fence | null => current.getStore() ?? null;
