import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database, type TenantTransaction } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { releaseNotFound } from '../../../http/errors/domain-error.js';
import { ReleasesQueries } from '../records/releases.queries.js';
import {
  issueBeingChanged,
  releaseBeingShipped,
  ChangeOutcomeUnknownError,
  releaseAlreadyShipped,
} from '../releases.errors.js';
import { SCOPE_LOCK_MS, type ScopeLock, ScopeLocksRepository } from './scope-locks.repository.js';

/** How often a request tries to get the lock of an issue: about 8 s in total, in growing pauses. */
const TRIES = 26;
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 400;

/**
 * Lets one request at a time change an issue, in all processes. GitHub applies the last milestone it receives, so of two requests
 * that link an issue the later one would overwrite the earlier.
 */
@Injectable()
export class ScopeLocksService {
  readonly #logger = new Logger(ScopeLocksService.name);

  constructor(
    private readonly database: Database,
    private readonly locks: ScopeLocksRepository,
    private readonly releases: ReleasesQueries,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs the work once no other request changes the issue; the work ends the lock. Throws `conflict` if the others do not finish,
   * or if the release is shipped or waits to be; it cannot ship before the work ends. If the result at GitHub is unknown, the
   * lock stays until the change can no longer take effect.
   */
  async withLock<T>(orgId: OrgId, key: Omit<ScopeLock, 'holder'>, work: (claim: ScopeLock) => Promise<T>): Promise<T> {
    const claim = { ...key, holder: randomUUID() };
    await this.acquire(orgId, claim);
    try {
      return await work(claim);
    } catch (error) {
      if (!(error instanceof ChangeOutcomeUnknownError)) await this.release(orgId, claim);
      throw error;
    }
  }

  /**
   * Ends the lock in the transaction that saves the result, so that both are saved or neither. Throws if the lock has expired.
   */
  async end(tx: TenantTransaction, claim: ScopeLock): Promise<void> {
    if (!(await this.locks.release(tx, claim))) throw new ChangeOutcomeUnknownError('the lock expired');
  }

  private async acquire(orgId: OrgId, claim: ScopeLock): Promise<void> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      if (await this.tryAcquire(orgId, claim)) return;
      await pause(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 1.5 ** tries));
    }
    throw issueBeingChanged(claim.issueNumber);
  }

  private async tryAcquire(orgId: OrgId, claim: ScopeLock): Promise<boolean> {
    const now = this.clock.now();
    const term = { now, until: new Date(now.getTime() + SCOPE_LOCK_MS) };
    return this.database.inTenant(orgId, async (tx) => {
      if (await this.locks.isTaken(tx, claim, term)) return false;
      // Locks the release's row first, as shipping does, so that one of the two comes first and the other sees its result.
      const status = await this.releases.lockStatus(tx, claim.releaseId);
      if (status === null) throw releaseNotFound();
      if (status === 'shipped') throw releaseAlreadyShipped();
      if (await this.releases.isAboutToShip(tx, claim.releaseId, now)) throw releaseBeingShipped();
      return this.locks.acquire(tx, claim, term);
    });
  }

  /** If this fails, the lock expires. */
  private async release(orgId: OrgId, claim: ScopeLock): Promise<void> {
    try {
      await this.database.inTenant(orgId, (tx) => this.locks.release(tx, claim));
    } catch (error) {
      this.#logger.warn(
        `The lock of issue #${claim.issueNumber} was not released and ends when it expires: ${String(error)}`,
      );
    }
  }
}
