import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database, type TenantTransaction } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { releaseNotFound } from '../../../http/errors/domain-error.js';
import { ReleasesQueries } from '../records/releases.queries.js';
import { SCOPE_LOCK_MS, type ScopeLock, ScopeLocksRepository } from './scope-locks.repository.js';
import {
  issueBeingChanged,
  releaseBeingShipped,
  ChangeOutcomeUnknownError,
  releaseAlreadyShipped,
} from './scope.errors.js';

/** How long one waits for others who change the same issue: some 8 s, in pauses that grow. */
const LOOKS = 26;
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 400;

/**
 * Lets one request at a time change an issue, whichever process has it: GitHub takes whatever milestone it was told last, so
 * of two that find an issue without one the later would take it from the earlier.
 */
@Injectable()
export class ScopeLocksService {
  readonly #logger = new Logger(ScopeLocksService.name);

  constructor(
    private readonly database: Database,
    private readonly claims: ScopeLocksRepository,
    private readonly releases: ReleasesQueries,
    private readonly clock: Clock,
  ) {}

  /**
   * Does the work, which ends the claim, once nobody else changes the issue. Throws `conflict` where others do not come to
   * an end, or where the release is shipped or waits to be: until the work is done it is not. Where nobody knows what the host did with
   * what it was told, the issue is left alone for as long as that may come true.
   */
  async withLock<T>(
    orgId: OrgId,
    wanted: Omit<ScopeLock, 'holder'>,
    work: (claim: ScopeLock) => Promise<T>,
  ): Promise<T> {
    const claim = { ...wanted, holder: randomUUID() };
    await this.take(orgId, claim);
    try {
      return await work(claim);
    } catch (error) {
      if (!(error instanceof ChangeOutcomeUnknownError)) await this.giveUp(orgId, claim);
      throw error;
    }
  }

  /** Together with what the work led to: both are kept or neither. Throws where the claim ran out meanwhile. */
  async end(tx: TenantTransaction, claim: ScopeLock): Promise<void> {
    if (!(await this.claims.release(tx, claim))) throw new ChangeOutcomeUnknownError('the claim ran out');
  }

  private async take(orgId: OrgId, claim: ScopeLock): Promise<void> {
    for (let looks = 0; looks < LOOKS; looks += 1) {
      if (await this.tryTake(orgId, claim)) return;
      await pause(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 1.5 ** looks));
    }
    throw issueBeingChanged(claim.issueNumber);
  }

  private async tryTake(orgId: OrgId, claim: ScopeLock): Promise<boolean> {
    const now = this.clock.now();
    const term = { now, until: new Date(now.getTime() + SCOPE_LOCK_MS) };
    return this.database.inTenant(orgId, async (tx) => {
      if (await this.claims.isTaken(tx, claim, term)) return false;
      // The release's row first, as who ships it does: so one of the two comes first, and the other sees it.
      const standing = await this.releases.lockStatus(tx, claim.releaseId);
      if (standing === null) throw releaseNotFound();
      if (standing === 'shipped') throw releaseAlreadyShipped();
      if (await this.releases.isAboutToShip(tx, claim.releaseId, now)) throw releaseBeingShipped();
      return this.claims.acquire(tx, claim, term);
    });
  }

  /** Where that fails it ends by itself. */
  private async giveUp(orgId: OrgId, claim: ScopeLock): Promise<void> {
    try {
      await this.database.inTenant(orgId, (tx) => this.claims.release(tx, claim));
    } catch (error) {
      this.#logger.warn(`A claim to issue #${claim.issueNumber} ends only when it has run out: ${String(error)}`);
    }
  }
}
