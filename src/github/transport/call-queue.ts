import { GitHubError } from './github-error.js';

interface Lane {
  underWay: number;
  /** Who waits, each with what lets them in. */
  readonly waiting: Set<() => void>;
}

/**
 * The host allows 100 calls at once ("Rate limits for the REST API", secondary limits). This is far below, because several
 * processes call for the same installation, and far above what one release needs read.
 */
const WIDTH = 16;

/**
 * Lets a bounded number of calls on each budget be under way, and the others wait in the order in which they came. So a
 * flood of one organization waits for itself and for nobody else's calls.
 */
export class CallQueue {
  private readonly lanes = new Map<string, Lane>();

  constructor(private readonly width = WIDTH) {}

  /** A caller who gives up before their turn is refused as `timeout`, and the call is not made. */
  async run<T>(name: string, call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const lane = this.laneOf(name);
    if (lane.underWay >= this.width) await turnIn(lane, signal);
    else lane.underWay += 1;
    try {
      return await call();
    } finally {
      this.leave(name, lane);
    }
  }

  /** How many calls wait for their turn. */
  waiting(name: string): number {
    return this.lanes.get(name)?.waiting.size ?? 0;
  }

  private leave(name: string, lane: Lane): void {
    const [next] = lane.waiting;
    if (next === undefined) {
      lane.underWay -= 1;
      if (lane.underWay === 0) this.lanes.delete(name);
      return;
    }
    lane.waiting.delete(next);
    next();
  }

  private laneOf(name: string): Lane {
    let lane = this.lanes.get(name);
    if (lane === undefined) {
      lane = { underWay: 0, waiting: new Set() };
      this.lanes.set(name, lane);
    }
    return lane;
  }
}

/** Resolves with a place in the lane that somebody left. */
function turnIn(lane: Lane, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const enter = (): void => {
      signal?.removeEventListener('abort', giveUp);
      resolve();
    };
    const giveUp = (): void => {
      lane.waiting.delete(enter);
      reject(new GitHubError('timeout', 'the caller stopped waiting for their turn'));
    };
    if (signal?.aborted) {
      giveUp();
      return;
    }
    lane.waiting.add(enter);
    signal?.addEventListener('abort', giveUp, { once: true });
  });
}
