import { Injectable } from '@nestjs/common';
import pTimeout from 'p-timeout';

/** A dependency without which this process should get no traffic. */
export interface ReadinessCheck {
  /** A readable name, for example `database`. */
  readonly name: string;
  /** Resolves if the dependency is available and rejects otherwise. */
  check(): Promise<void>;
}

const CHECK_TIMEOUT_MS = 2_000;

/** Checks whether this process can work now. Modules register their checks at the start. */
@Injectable()
export class Readiness {
  private readonly checks: ReadinessCheck[] = [];

  register(check: ReadinessCheck): void {
    this.checks.push(check);
  }

  /** Returns the names of all checks. */
  names(): readonly string[] {
    return this.checks.map(({ name }) => name);
  }

  /** Returns the names of the checks that fail or time out. Empty if the process is ready. */
  async findFailures(): Promise<readonly string[]> {
    const passed = await Promise.all(this.checks.map(passes));
    return this.checks.filter((_check, index) => !passed[index]).map(({ name }) => name);
  }
}

/** Never rejects. Each dependency logs its own failures. */
const passes = (check: ReadinessCheck): Promise<boolean> =>
  pTimeout(
    Promise.resolve()
      .then(() => check.check())
      .then(
        () => true,
        () => false,
      ),
    { milliseconds: CHECK_TIMEOUT_MS, fallback: () => false },
  );
