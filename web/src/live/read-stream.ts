import { EVENT_TYPES, type LiveEvent } from './event-queries.js';

/** The service sends a heartbeat every 15 s. After two and a half of them without a sign of life the connection is lost. */
const SILENCE_MS = 37_500;
/** The service repeats the missed events of five minutes. The rest of that time is for delays. */
const REPEATED_MS = 4 * 60_000;

/** An `EventSource`, as far as it is used. */
interface StreamSource {
  readonly readyState: number;
  readonly CLOSED: number;
  addEventListener(type: string, listener: (event: MessageEvent<string>) => void): void;
  close(): void;
}

/** All changes until an event of the workspace are known. */
export interface StreamPosition {
  readonly lastEventId: number;
  /** The latest time for which this is certain, in milliseconds. */
  readonly knownAt: number;
}

interface StreamListener {
  /** From now on each change after the position is an event. `hasMissed` says whether this page may miss some. */
  readonly onBegin: (hasMissed: boolean) => void;
  readonly onEvent: (event: LiveEvent) => void;
  /** The connection was lost. The browser connects again. */
  readonly onLost: () => void;
}

interface Timers {
  /** The present time in milliseconds. */
  readonly now: () => number;
  /** Runs once after this time in milliseconds. Returns a function that prevents it. */
  readonly runLater: (run: () => void, ms: number) => () => void;
}

const TIMERS: Timers = {
  now: () => Date.now(),
  runLater: (run, ms) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * Reads a stream that starts after the position, until the service rejects it, it falls silent, or the signal aborts. Resolves to
 * whether it has begun. The browser itself detects only a closed connection, not one that a network dropped without notice.
 */
export const readStream = (
  stream: StreamSource,
  position: StreamPosition,
  { onBegin, onEvent, onLost }: StreamListener,
  signal: AbortSignal,
  { now, runLater }: Timers = TIMERS,
): Promise<boolean> =>
  new Promise((resolve) => {
    let [hasBegun, isOpen, heardAt] = [false, false, position.knownAt];
    const end = (): void => {
      stopWatch();
      stream.close();
      resolve(hasBegun);
    };
    let stopWatch = runLater(end, SILENCE_MS);
    const hear = (lastEventId: string): void => {
      stopWatch();
      stopWatch = runLater(end, SILENCE_MS);
      // The service starts before the position only if it does not know that event any more, for example after a restore.
      const hasMissed = now() - heardAt > REPEATED_MS || Number(lastEventId) < position.lastEventId;
      heardAt = now();
      if (isOpen && !hasMissed) return;
      [hasBegun, isOpen] = [true, true];
      onBegin(hasMissed);
    };
    stream.addEventListener('heartbeat', ({ lastEventId }) => hear(lastEventId));
    for (const type of EVENT_TYPES) {
      stream.addEventListener(type, ({ data, lastEventId }) => {
        hear(lastEventId);
        onEvent(JSON.parse(data) as LiveEvent);
      });
    }
    stream.addEventListener('error', () => {
      isOpen = false;
      // The browser connects again by itself after a network error, but not after a status that is not 200.
      if (stream.readyState === stream.CLOSED) end();
      else onLost();
    });
    signal.addEventListener('abort', end, { once: true });
  });
