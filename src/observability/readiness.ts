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

  /** Makes this process not ready, for good. */
  stop(): void {
    this.stopping = true;
  }

  register(check: ReadinessCheck): void {
    this.checks.push(check);
  }

  /** Returns the names of all checks. */
  names(): readonly string[] {
    return this.checks.map(({ name }) => name);
  }

  /**
   * Returns the names of the checks that fail or time out, with the reason if it may be shown. Empty if the process is
   * ready.
   */
  async findFailures(): Promise<readonly string[]> {
    const failures = await Promise.all(this.checks.map(findFailure));
    return failures.filter((failure) => failure !== null);
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
