import { Injectable } from '@nestjs/common';
import pTimeout from 'p-timeout';

/** A dependency without which this process should get no traffic. */
export interface ReadinessCheck {
  /** A readable name, for example `database`. */
  readonly name: string;
  /** Resolves if the dependency is available and rejects otherwise. */
  check(): Promise<void>;
}

/** A failed check whose message may be shown to everyone. Other errors show only the name of the check. */
export class NotReadyError extends Error {
  override readonly name = 'NotReadyError';
}

const CHECK_TIMEOUT_MS = 2_000;

/** Checks whether this process can work now. Modules register their checks at the start. */
@Injectable()
export class Readiness {
  private readonly checks: ReadinessCheck[] = [];
  private stopping = false;

  /** Whether this process is about to stop. It answers requests, and should get no new ones. */
  get isStopping(): boolean {
    return this.stopping;
  }

  /** Makes this process permanently not ready. */
  stop(): void {
    this.stopping = true;
  }

  register(check: ReadinessCheck): void {
    this.checks.push(check);
  }

  /** Runs all checks. A failure is the name of the check, with the reason if it may be shown; null if the check passes. */
  async runChecks(): Promise<readonly { readonly name: string; readonly failure: string | null }[]> {
    return Promise.all(this.checks.map(async (check) => ({ name: check.name, failure: await findFailure(check) })));
  }

  /** Returns the failures. Empty if the process is ready. */
  async findFailures(): Promise<readonly string[]> {
    return (await this.runChecks()).flatMap(({ failure }) => failure ?? []);
  }
}

/** Never rejects. Each dependency logs its own failures. */
const findFailure = (check: ReadinessCheck): Promise<string | null> =>
  pTimeout(
    Promise.resolve()
      .then(() => check.check())
      .then(
        () => null,
        (error: unknown) => (error instanceof NotReadyError ? `${check.name} (${error.message})` : check.name),
      ),
    { milliseconds: CHECK_TIMEOUT_MS, fallback: () => check.name },
  );
