import type { Logger } from 'pino';

/** One part that is stopped; steps run one after the other, because each rests on those behind it. */
export interface ShutdownStep {
  /** A word for the log, as `http`. */
  readonly name: string;
  stop(): Promise<void>;
  /** How long it may take before the next step begins without it. */
  readonly timeoutMs: number;
}

/** A start that was given up because the process is to end, with what it had begun, which is still to be stopped. */
export class AbandonedStart extends Error {
  override readonly name = 'AbandonedStart';

  constructor(
    readonly begun: readonly ShutdownStep[],
    options: ErrorOptions,
  ) {
    super('The start was given up, because the process is to end.', options);
  }
}

/** What a shutdown does to the process; a test puts its own in its place. */
interface ShutdownTarget {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  exit(code: number): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const FORCED_EXIT_CODE = 1;

/**
 * Starts, and on SIGINT or SIGTERM stops what was started in turn and exits: with 0, or with 1 where a step failed or
 * outlasted its time. A start that is still under way is told to stop, and may reject with `AbandonedStart`. A second
 * signal exits at once.
 */
export function startUntilSignal<Started extends { readonly shutdown: readonly ShutdownStep[] }>(
  start: (stopping: AbortSignal) => Promise<Started>,
  log: Logger,
  target: ShutdownTarget = process,
): Promise<Started> {
  const stopping = new AbortController();
  const started = start(stopping.signal);
  const steps = started.then(
    ({ shutdown }) => shutdown,
    // A start that fails ends by itself what it has begun.
    (error: unknown) => (error instanceof AbandonedStart ? error.begun : []),
  );
  for (const signal of SIGNALS) {
    target.on(signal, () => {
      if (stopping.signal.aborted) {
        log.warn({ signal }, 'forced to exit');
        target.exit(FORCED_EXIT_CODE);
        return;
      }
      log.info({ signal }, 'stopping');
      stopping.abort();
      void steps.then((begun) => stopAll(begun, log)).then((isClean) => target.exit(isClean ? 0 : FORCED_EXIT_CODE));
    });
  }
  return started;
}

/** Parts that do not rest on each other, stopped at once, so that the process ends in the time of the slowest. */
export const together = (name: string, steps: readonly ShutdownStep[]): ShutdownStep => ({
  name,
  timeoutMs: Math.max(...steps.map(({ timeoutMs }) => timeoutMs)),
  async stop() {
    const outcomes = await Promise.allSettled(steps.map((step) => step.stop()));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  },
});

/** Stops each step in turn, however the one before it ended; false where one failed or outlasted its time. */
export async function stopAll(steps: readonly ShutdownStep[], log: Logger): Promise<boolean> {
  let isClean = true;
  for (const step of steps) {
    try {
      await within(step.timeoutMs, step.stop());
      log.info({ step: step.name }, 'stopped');
    } catch (err) {
      isClean = false;
      log.error({ step: step.name, err }, 'did not stop cleanly');
    }
  }
  return isClean;
}

async function within(timeoutMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not stopped within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
