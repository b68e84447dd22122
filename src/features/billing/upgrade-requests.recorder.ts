import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import type { TenantTx } from '../../database/database.js';
import type { UpgradeRequest } from '../../domain/billing/upgrade-request.js';
import { DomainError } from '../../http/domain-error.js';
import { noSuchRequest } from './request-refusal.js';
import { type RequestDecision, UpgradeRequestsRepository } from './upgrade-requests.repository.js';

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

  /** Refuses with `conflict` while one is open. */
  async open(tx: TenantTx, requestedBy: number, note: string | null): Promise<UpgradeRequest> {
    const request = { id: randomUUID(), note, requestedBy, at: this.clock.now() };
    const opened = await this.requests.open(tx, request);
    if (!opened) throw new DomainError('conflict', 'A request for the pro plan is open already.');
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
