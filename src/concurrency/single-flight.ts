/** Does what several callers ask for at once only once; whoever asks after it ended starts it anew. */
export class SingleFlight<T> {
  private readonly underWay = new Map<string, Promise<T>>();

  /** `aborted` makes the error for a caller who gives up. */
  constructor(private readonly aborted: () => Error = () => new Error('the caller stopped waiting')) {}

  async run(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    let shared = this.underWay.get(key);
    if (shared === undefined) {
      shared = work().finally(() => this.underWay.delete(key));
      // The caller who started it may be gone by the time it fails.
      shared.catch(() => undefined);
      this.underWay.set(key, shared);
    }
    return untilAborted(shared, this.aborted, signal);
  }
}

/** A caller who gives up leaves the work running for the others. */
async function untilAborted<T>(shared: Promise<T>, aborted: () => Error, signal?: AbortSignal): Promise<T> {
  if (signal === undefined) return shared;
  const { promise: abort, stop } = abortOf(signal, aborted);
  try {
    return await Promise.race([shared, abort]);
  } finally {
    stop();
  }
}

function abortOf(
  signal: AbortSignal,
  aborted: () => Error,
): { readonly promise: Promise<never>; readonly stop: () => void } {
  let refuse: () => void = () => undefined;
  const promise = new Promise<never>((_, reject) => {
    refuse = () => {
      reject(aborted());
    };
    if (signal.aborted) refuse();
    else signal.addEventListener('abort', refuse, { once: true });
  });
  return {
    promise,
    stop: () => {
      signal.removeEventListener('abort', refuse);
    },
  };
}
