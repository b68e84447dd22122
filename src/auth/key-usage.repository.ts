import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Clock } from '../config/clock.js';
import { Database } from '../database/database.js';
import type { OrgId } from '../database/ids.js';

const INTERVAL_MS = 60_000;

type KeyTable = 'api_key' | 'personal_key';

/** The row says at last whether a minute has passed: others use the same key at the same time, also of other instances. */
const noteUseIn = (table: KeyTable): string =>
  `update ${table} set last_used_at = $2 where id = $1 and (last_used_at is null or last_used_at <= $3)`;
const NOTE_USE: Readonly<Record<KeyTable, string>> = {
  api_key: noteUseIn('api_key'),
  personal_key: noteUseIn('personal_key'),
};

/** A key that lets its holder in now. */
interface UsedKey {
  readonly orgId: OrgId;
  readonly keyId: string;
  readonly lastUsedAt: Date | null;
}

/**
 * Notes when a key was last used, at most once a minute, beside the request that uses it: the time is for people, so
 * nobody waits for it and nobody is refused because it could not be written.
 */
@Injectable()
export class KeyUsageRepository implements BeforeApplicationShutdown {
  readonly #logger = new Logger(KeyUsageRepository.name);
  /** What is still to be written: one entry a key, however many requests use it at once. */
  readonly #writing = new Map<string, Promise<void>>();
  /** The write behind which the next one waits, so that they never take more than one connection from the requests. */
  #last: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  recordUse(table: KeyTable, { orgId, keyId, lastUsedAt }: UsedKey): void {
    const now = this.clock.now();
    if (this.#writing.has(keyId) || (lastUsedAt !== null && now.getTime() - lastUsedAt.getTime() < INTERVAL_MS)) return;
    this.#last = this.#last
      .then(() => this.#write(table, orgId, keyId, now))
      .finally(() => this.#writing.delete(keyId));
    this.#writing.set(keyId, this.#last);
  }

  /** Resolves when every use noted so far is written, or has failed to be. */
  async flush(): Promise<void> {
    await Promise.all(this.#writing.values());
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.flush();
  }

  async #write(table: KeyTable, orgId: OrgId, keyId: string, now: Date): Promise<void> {
    const minuteBefore = new Date(now.getTime() - INTERVAL_MS);
    try {
      await this.database.inTenant(orgId, (tx) => tx.query(NOTE_USE[table], [keyId, now, minuteBefore]));
    } catch (error) {
      this.#logger.warn(`The use of the key ${keyId} could not be noted: ${String(error)}`);
    }
  }
}
