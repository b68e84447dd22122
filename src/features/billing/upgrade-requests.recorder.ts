import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import type { TenantTx } from '../../database/database.js';
import type { UpgradeRequest } from '../../domain/billing/upgrade-request.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { noSuchRequest } from './request-refusal.js';
import { type RequestDecision, UpgradeRequestsRepository } from './upgrade-requests.repository.js';

const DAY_MS = 24 * 3_600_000;
/** How many a workspace may make in a day: whoever takes one back and makes it anew fills the list of those who decide. */
const MAX_A_DAY = 20;

/** What a workspace asks for and what becomes of it: one request at a time, each decided once. */
@Injectable()
export class UpgradeRequests {
  constructor(
    private readonly requests: UpgradeRequestsRepository,
    private readonly clock: Clock,
  ) {}

  /** The last one that was not withdrawn; null where there is none. */
  findLatest(tx: TenantTx): Promise<UpgradeRequest | null> {
    return this.requests.findLatest(tx);
  }

  /**
   * Refuses with `conflict` while one is open, and with `rate_limited` where the workspace asked too often in the last 24
   * hours. Expects that nobody else opens one meanwhile.
   */
  async open(tx: TenantTx, requestedBy: number, note: string | null): Promise<UpgradeRequest> {
    const now = this.clock.now();
    const request = { id: randomUUID(), note, requestedBy, at: now };
    const opened = await this.requests.open(tx, request);
    if (!opened) throw new DomainError('conflict', 'A request for the pro plan is open already.');
    const times = await this.requests.listTimesSince(tx, new Date(now.getTime() - DAY_MS));
    const oldest = times[0];
    // Counted with the new one, which goes with the transaction.
    if (oldest && times.length > MAX_A_DAY) throw tooManyRequests(oldest.getTime() + DAY_MS - now.getTime());
    return opened;
  }

  /** Refuses with `conflict` where it was decided before, and with `not_found` where the workspace has no such request. */
  async decide(tx: TenantTx, id: string, decision: RequestDecision): Promise<UpgradeRequest> {
    const decided = await this.requests.close(tx, id, decision, this.clock.now());
    if (decided) return decided;
    const request = await this.requests.find(tx, id);
    if (!request) throw noSuchRequest();
    throw new DomainError('conflict', `The request is no longer open: it was ${request.status}.`);
  }
}

const tooManyRequests = (waitMs: number): DomainError =>
  new DomainError(
    'rate_limited',
    `The workspace made ${MAX_A_DAY} requests for the pro plan in the last 24 hours, and may make no more for now.`,
    { retryAfterSeconds: waitMs / 1_000 },
  );
