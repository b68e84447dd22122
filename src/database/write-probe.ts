import pTimeout from 'p-timeout';
import type { DatabaseError } from 'pg';
import { DISK_FULL, READ_ONLY } from './outage.js';

/** Less than a check of the readiness may take, so that it can say why. */
const LIMIT_MS = 1_500;
const REPEAT_AFTER_MS = 1_000;
/** A probe without an answer keeps its connection, so the next one waits for it, but not as long as the network is silent. */
const UNANSWERED_MS = 5_000;

/** Why a write fails, by SQLSTATE. */
const PROBLEMS: ReadonlyMap<string | undefined, string> = new Map([
  [DISK_FULL, 'its disk is full'],
  [READ_ONLY, 'it is read-only'],
  ['53300', 'it has no free connection'],
]);

/** Tries whether the database accepts writes, because one that answers reads may not. */
export class WriteProbe {
  #needsSpace = false;
  #latest: Promise<string | null> | null = null;

  /** `write` runs the function `probe_write`. */
  constructor(private readonly write: (needsSpace: boolean) => Promise<unknown>) {}

  /** Notes the error of a statement. After one of a full disk, small writes may still find free space. */
  note(error: unknown): void {
    if ((error as Partial<DatabaseError>).code === DISK_FULL) this.#needsSpace = true;
  }

  /** Returns why writes fail, or null. Writes at most once a second, because everyone may ask whether a process is ready. */
  findProblem(): Promise<string | null> {
    this.#latest ??= this.#try();
    return this.#latest;
  }

  async #try(): Promise<string | null> {
    const written = this.write(this.#needsSpace);
    void this.#repeatAfter(written);
    try {
      await pTimeout(written, { milliseconds: LIMIT_MS });
      this.#needsSpace = false;
      return null;
    } catch (error) {
      return PROBLEMS.get((error as Partial<DatabaseError>).code) ?? 'it does not answer';
    }
  }

  async #repeatAfter(written: Promise<unknown>): Promise<void> {
    await pTimeout(written, { milliseconds: UNANSWERED_MS }).catch(() => undefined);
    setTimeout(() => (this.#latest = null), REPEAT_AFTER_MS).unref();
  }
}
