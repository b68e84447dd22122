import { Injectable } from '@nestjs/common';

/** One thing without which this process should get no traffic. */
export interface ReadinessCheck {
  /** A word for people, as `database`. */
  readonly name: string;
  /** Resolves where the thing is there; rejects where it is not. */
  check(): Promise<void>;
}

const CHECK_TIMEOUT_MS = 2_000;

/** Whether this process can do its work now, by the checks that its parts register at the start. */
@Injectable()
export class Readiness {
  private readonly checks: ReadinessCheck[] = [];

  register(check: ReadinessCheck): void {
    this.checks.push(check);
  }

  /** Names of the checks that fail or do not answer in time; empty where the process is ready. */
  async findFailures(): Promise<readonly string[]> {
    const passed = await Promise.all(this.checks.map(passes));
    return this.checks.filter((_check, index) => !passed[index]).map(({ name }) => name);
  }
}

/** Never rejects: which way a check fails is for its own log to say. */
async function passes(check: ReadinessCheck): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), CHECK_TIMEOUT_MS);
  });
  const answer = Promise.resolve()
    .then(() => check.check())
    .then(
      () => true,
      () => false,
    );
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
