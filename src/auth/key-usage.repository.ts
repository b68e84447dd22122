import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Clock } from '../config/clock.js';
import { Database } from '../database/database.js';
import type { OrgId } from '../database/ids.js';

const INTERVAL_MS = 60_000;

type KeyTable = 'api_key' | 'personal_key';

/** Compares with the row again, because other processes may have used the key at the same time. */
const saveUseSql = (table: KeyTable): string =>
  `update ${table} set last_used_at = $2 where id = $1 and (last_used_at is null or last_used_at <= $3)`;
const SAVE_USE: Readonly<Record<KeyTable, string>> = {
  api_key: saveUseSql('api_key'),
  personal_key: saveUseSql('personal_key'),
};

/** A valid key of a request. */
interface UsedKey {
  readonly orgId: OrgId;
  readonly keyId: string;
  readonly lastUsedAt: Date | null;
}

/**
 * Saves when a key was last used, at most once a minute. The time is only displayed, so requests neither wait for the write
 * nor fail with it.
 */
@Injectable()
export class KeyUsageRepository implements BeforeApplicationShutdown {
  readonly #logger = new Logger(KeyUsageRepository.name);
  /** The writes that have not finished, one for each key. */
  readonly #pending = new Map<string, Promise<void>>();
  /** The last write. The next one waits for it, so that all of them use at most one connection. */
  #last: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  recordUse(table: KeyTable, { orgId, keyId, lastUsedAt }: UsedKey): void {
    const now = this.clock.now();
    if (this.#pending.has(keyId) || (lastUsedAt !== null && now.getTime() - lastUsedAt.getTime() < INTERVAL_MS)) return;
    this.#last = this.#last
      .then(() => this.#write(table, orgId, keyId, now))
      .finally(() => this.#pending.delete(keyId));
    this.#pending.set(keyId, this.#last);
  }

  /** Resolves when every recorded use has been written, or its write has failed. */
  async flush(): Promise<void> {
    await Promise.all(this.#pending.values());
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.flush();
  }

  async #write(table: KeyTable, orgId: OrgId, keyId: string, now: Date): Promise<void> {
    const minuteBefore = new Date(now.getTime() - INTERVAL_MS);
    try {
      await this.database.inTenant(orgId, (tx) => tx.query(SAVE_USE[table], [keyId, now, minuteBefore]));
    } catch (error) {
      this.#logger.warn(`The use of the key ${keyId} could not be saved: ${String(error)}`);
    }
  }
}
