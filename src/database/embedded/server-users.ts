import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processIdentity, isIdentityAlive } from './os-processes.js';

const POLL_MS = 20;

/**
 * The users of one embedded server. The last one to leave stops it.
 *
 * A join and a leave may coincide. A joining process first writes its name and then checks for leaving processes. A leaving
 * process first announces its leave and then checks for names. So at least one of the two sees the other.
 */
export class ServerUsers {
  readonly #attached: string;
  readonly #leaving: string;
  readonly #name = `${processIdentity(process.pid)}.${randomUUID()}`;

  constructor(home: string) {
    this.#attached = join(home, 'attached');
    this.#leaving = join(home, 'leaving');
  }

  /** Registers this user. Resolves when no other user is about to stop the server. */
  async register(): Promise<void> {
    mkdirSync(this.#attached, { recursive: true, mode: 0o700 });
    mkdirSync(this.#leaving, { recursive: true, mode: 0o700 });
    writeFileSync(join(this.#attached, this.#name), '');
    while (liveNames(this.#leaving).length > 0) await sleep(POLL_MS);
  }

  /** Removes this user. If it was the last one, runs `stop` while joining processes wait. */
  async unregister(stop: () => Promise<void>): Promise<void> {
    writeFileSync(join(this.#leaving, this.#name), '');
    try {
      rmSync(join(this.#attached, this.#name), { force: true });
      if (liveNames(this.#attached).length === 0) await stop();
    } finally {
      rmSync(join(this.#leaving, this.#name), { force: true });
    }
  }
}

/** Returns the names of running processes in a folder and removes those of killed processes. */
function liveNames(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => {
    const alive = isIdentityAlive(name.split('.')[0] ?? '');
    if (!alive) rmSync(join(folder, name), { force: true });
    return alive;
  });
}
