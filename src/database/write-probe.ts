import pTimeout from 'p-timeout';
import type { DatabaseError } from 'pg';
import { DISK_FULL, isTlsFailure, READ_ONLY, UNKNOWN_HOST_CODES } from './outage.js';

/** Less than the time limit of a readiness check, so that the check can report the reason. */
const LIMIT_MS = 1_500;
const REPEAT_AFTER_MS = 1_000;
/** A probe without an answer occupies its connection, so the next probe waits, but only for this time. */
const UNANSWERED_MS = 5_000;

/** Why a write fails, by SQLSTATE or the code of Node. Everyone may read it, so it names no role and no host. */
const PROBLEMS: ReadonlyMap<string | undefined, string> = new Map([
  [DISK_FULL, 'its disk is full'],
  [READ_ONLY, 'it is read-only'],
  ['53300', 'it has no free connection'],
  ['28P01', 'it rejects the role or its password'],
  ['28000', 'it rejects the role or its password'],
  ['3D000', 'it does not exist'],
  ['42501', 'it denies access to the role'],
  ...UNKNOWN_HOST_CODES.map((code) => [code, 'the name of its host is not known'] as const),
]);

/** Tests whether the database accepts writes, because a database that answers reads may reject writes. */
export class WriteProbe {
  #needsSpace = false;
  #latest: Promise<string | null> | null = null;

  /** `write` runs the function `probe_write`. */
  constructor(private readonly write: (needsSpace: boolean) => Promise<unknown>) {}

  /** Records the error of a statement. After the error of a full disk, small writes may still find free space. */
  note(error: unknown): void {
    if ((error as Partial<DatabaseError>).code === DISK_FULL) this.requireSpace();
  }

  /** Makes the next write need new space. */
  requireSpace(): void {
    this.#needsSpace = true;
  }

  /** Returns why writes fail, or null. Writes at most once a second, because every client may request the readiness. */
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
      const problem = PROBLEMS.get((error as Partial<DatabaseError>).code);
      return problem ?? (isTlsFailure(error) ? 'the TLS connection to it fails' : 'it does not answer');
    }
  }

  async #repeatAfter(written: Promise<unknown>): Promise<void> {
    await pTimeout(written, { milliseconds: UNANSWERED_MS }).catch(() => undefined);
    setTimeout(() => (this.#latest = null), REPEAT_AFTER_MS).unref();
  }
}
