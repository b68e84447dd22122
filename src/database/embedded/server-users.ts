import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processIdentity, isIdentityAlive } from './os-processes.js';

const POLL_MS = 20;

/**
 * The users of one embedded server, so that the last to leave stops it, and nobody else.
 *
 * Joining and leaving may coincide: who joins first writes its name and then looks for those who are leaving; who
 * leaves first says so and then looks for names. So at least one of the two sees the other.
 */
export class ServerUsers {
  readonly #attached: string;
  readonly #leaving: string;
  readonly #name = `${processIdentity(process.pid)}.${randomUUID()}`;

  constructor(home: string) {
    this.#attached = join(home, 'attached');
    this.#leaving = join(home, 'leaving');
  }

  /** Names this user of the server; resolves once nobody is about to stop it. */
  async register(): Promise<void> {
    mkdirSync(this.#attached, { recursive: true, mode: 0o700 });
    mkdirSync(this.#leaving, { recursive: true, mode: 0o700 });
    writeFileSync(join(this.#attached, this.#name), '');
    while (liveNames(this.#leaving).length > 0) await sleep(POLL_MS);
  }

  /** Takes this user's name away and, where no other is left, runs `stop` while whoever joins waits. */
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

/** The names in a folder that running processes wrote there; those of processes that were killed are removed. */
function liveNames(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => {
    const alive = isIdentityAlive(name.split('.')[0] ?? '');
    if (!alive) rmSync(join(folder, name), { force: true });
    return alive;
  });
}
