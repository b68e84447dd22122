import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import pTimeout from 'p-timeout';
import { Readiness } from '../observability/readiness.js';

/** One part to stop. Steps run one after the other, because each part uses the parts after it. */
export interface ShutdownStep {
  /** The name in the log, for example `http`. */
  readonly name: string;
  stop(): Promise<void>;
  /** The time after which the next step begins anyway. */
  readonly timeoutMs: number;
}

/** A start that was aborted by a signal, with the started parts, which must still be stopped. */
export class StartupAbortedError extends Error {
  override readonly name = 'AbandonedStart';

  constructor(
    readonly begun: readonly ShutdownStep[],
    options: ErrorOptions,
  ) {
    super('The start was aborted by a signal.', options);
  }
}

/** The signals and the exit of the process. Tests replace it. */
interface ShutdownTarget {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  exit(code: number): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const FORCED_EXIT_CODE = 1;
/** The time in which the same signal counts as one. */
const ECHO_MS = 1_000;

/**
 * Starts the parts. On SIGINT or SIGTERM it stops them in order and exits: with 0, or with 1 if a step failed or took too long.
 * A start in progress is aborted, and may reject with `StartupAbortedError`. A second signal exits at once. A repetition of the
 * same signal within a second does not count, because npm forwards a Ctrl-C that the terminal also sent to the service.
 */
export function runUntilSignal<Started extends { readonly shutdown: readonly ShutdownStep[] }>(
  start: (stopping: AbortSignal) => Promise<Started>,
  log: Logger,
  target: ShutdownTarget = process,
): Promise<Started> {
  const stopping = new AbortController();
  const started = start(stopping.signal);
  const steps = started.then(
    ({ shutdown }) => shutdown,
    // A start that fails stops the started parts itself.
    (error: unknown) => (error instanceof StartupAbortedError ? error.begun : []),
  );
  let first: { readonly signal: NodeJS.Signals; readonly at: number } | undefined;
  for (const signal of SIGNALS) {
    target.on(signal, () => {
      if (first) {
        if (signal === first.signal && performance.now() - first.at < ECHO_MS) return;
        log.warn({ signal }, 'forced to exit');
        target.exit(FORCED_EXIT_CODE);
        return;
      }
      first = { signal, at: performance.now() };
      log.info({ signal }, 'stopping');
      stopping.abort();
      void steps.then((begun) => stopAll(begun, log)).then((isClean) => target.exit(isClean ? 0 : FORCED_EXIT_CODE));
    });
  }
  return started;
}

/** Combines the steps of independent parts into one step that stops all parts at the same time. */
export const runInParallel = (name: string, steps: readonly ShutdownStep[]): ShutdownStep => ({
  name,
  timeoutMs: Math.max(...steps.map(({ timeoutMs }) => timeoutMs)),
  async stop() {
    const outcomes = await Promise.allSettled(steps.map((step) => step.stop()));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  },
});

/** Runs all steps in order, also after a step that failed. Returns false if a step failed or took too long. */
export async function stopAll(steps: readonly ShutdownStep[], log: Logger): Promise<boolean> {
  let isClean = true;
  for (const step of steps) {
    try {
      await pTimeout(step.stop(), {
        milliseconds: step.timeoutMs,
        message: `not stopped within ${step.timeoutMs} ms`,
      });
      log.info({ step: step.name }, 'stopped');
    } catch (err) {
      isClean = false;
      log.error({ step: step.name, err }, 'did not stop cleanly');
    }
  }
  return isClean;
}

const IN_FLIGHT_MS = 15_000;
/** How long open connections may stay silent. They may have sent a request before the stop that was not read yet. */
const FIRST_REQUEST_MS = 1_000;
const TIMEOUT_MS = 18_000;

/**
 * Makes the process not ready and serves requests for the delay, so that a load balancer uses other processes before the listener
 * closes. Then it stops listening, finishes the requests in progress and runs the application's own hooks. A request on a connection
 * that was already accepted is answered. Requests that are not finished 15 s after the delay are cut off. Bodies that are still
 * arriving are rejected before that (`stoppingMs`). Create the step before the application listens.
 */
export function httpShutdown(app: NestFastifyApplication, delayMs = 0): ShutdownStep {
  const connections = new OpenConnections(app.getHttpServer());
  return {
    name: 'http',
    timeoutMs: TIMEOUT_MS + delayMs,
    async stop() {
      app.get(Readiness).stop();
      connections.announceClose();
      if (delayMs > 0 && app.getHttpServer().listening) await sleep(delayMs);
      const cutOff = setTimeout(() => connections.cutOff(), IN_FLIGHT_MS);
      // `setImmediate` lets the event loop read received requests first, even if it was blocked for longer than the timer.
      const closeSilent = setTimeout(() => setImmediate(() => connections.closeSilent()), FIRST_REQUEST_MS);
      try {
        connections.closeAfterAnswers();
        await app.close();
      } finally {
        clearTimeout(cutOff);
        clearTimeout(closeSilent);
      }
    },
  };
}

/** Closes connections at the shutdown. Not every version of Node closes connections without a request, which browsers open in advance. */
class OpenConnections {
  private readonly requestsOn = new Map<Socket, number>();
  private isAnnounced = false;
  private isClosing = false;

  constructor(private readonly server: Server) {
    server.on('connection', (socket: Socket) => {
      this.requestsOn.set(socket, 0);
      socket.once('close', () => this.requestsOn.delete(socket));
    });
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.count(socket, 1);
      if (this.isAnnounced) response.shouldKeepAlive = false;
      response.once('close', () => {
        this.count(socket, -1);
        if (this.isClosing && this.requestsOn.get(socket) === 0) socket.end();
      });
    });
  }

  /** Closes each connection after its next answer and announces this in the answer, so that the client does not reuse the connection. */
  announceClose(): void {
    this.isAnnounced = true;
  }

  closeAfterAnswers(): void {
    this.isClosing = true;
    // When the server stops listening, Node closes the connections between two requests, and from version 26 also those without a
    // request. It does not check for received data, so a request could stay unanswered.
    this.server.closeIdleConnections = () => undefined;
  }

  closeSilent(): void {
    for (const [socket, requests] of this.requestsOn) {
      if (requests === 0) socket.destroy();
    }
  }

  cutOff(): void {
    for (const socket of this.requestsOn.keys()) socket.destroy();
  }

  private count(socket: Socket, change: 1 | -1): void {
    const requests = this.requestsOn.get(socket);
    if (requests !== undefined) this.requestsOn.set(socket, requests + change);
  }
}
