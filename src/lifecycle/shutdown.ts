import type { Logger } from 'pino';

/** One part that is stopped; steps run one after the other, because each rests on those behind it. */
export interface ShutdownStep {
  /** A word for the log, as `http`. */
  readonly name: string;
  stop(): Promise<void>;
  /** How long it may take before the next step begins without it. */
  readonly timeoutMs: number;
}

/** What a shutdown does to the process; a test puts its own in its place. */
interface ShutdownTarget {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  exit(code: number): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const FORCED_EXIT_CODE = 1;

/**
 * On SIGINT or SIGTERM waits until the service has started, or failed to, stops each step in turn and exits: with 0, or
 * with 1 where a step failed or outlasted its time. A second signal exits at once.
 */
export function stopOnSignals(
  started: Promise<{ readonly shutdown: readonly ShutdownStep[] }>,
  log: Logger,
  target: ShutdownTarget = process,
): void {
  // A start that fails ends by itself what it has begun.
  const steps = started.then(
    ({ shutdown }) => shutdown,
    () => [],
  );
  let isStopping = false;
  for (const signal of SIGNALS) {
    target.on(signal, () => {
      if (isStopping) {
        log.warn({ signal }, 'forced to exit');
        target.exit(FORCED_EXIT_CODE);
        return;
      }
      isStopping = true;
      log.info({ signal }, 'stopping');
      void steps.then((begun) => stopAll(begun, log)).then((isClean) => target.exit(isClean ? 0 : FORCED_EXIT_CODE));
    });
  }
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
