import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Member } from '../../auth/caller.js';
import { Clock } from '../../config/clock.js';
import { Database, type TenantTransaction } from '../../database/database.js';
import { isUuid, type OrgId } from '../../database/ids.js';
import type { UpgradeRequest } from '../../domain/billing/plan.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { RepositoryQuotaRepository, type QuotaUsage } from '../../workspaces/repository-quota.repository.js';
import { AuditRepository } from '../audit/audit.repository.js';
import { StorageQuota, type StorageUse } from '../evidence/storage/storage-quota.repository.js';
import { BillingRepository, type RequestDecision, UpgradeRequestsRepository } from './billing.repository.js';
import { type NamedRequest, PlatformBillingQueries } from './platform-billing.queries.js';

export const noSuchRequest = (): DomainError => new DomainError('not_found', 'There is no such request.');

const DAY_MS = 24 * 3_600_000;
/** How many a workspace may make in a day: whoever takes one back and makes it anew fills the list of those who decide. */
const MAX_A_DAY = 20;

const tooManyRequests = (waitMs: number): DomainError =>
  new DomainError(
    'rate_limited',
    `The workspace made ${MAX_A_DAY} requests for the pro plan in the last 24 hours, and may make no more for now.`,
    { retryAfterSeconds: waitMs / 1_000 },
  );

/** What a workspace may do, and what it asked for. */
export interface BillingState extends QuotaUsage {
  readonly storage: StorageUse;
  /** The last request that was not withdrawn; null where there is none. */
  readonly request: NamedRequest | null;
}

/** What a workspace asks for and what becomes of it: one request at a time, each decided once. The plan of a workspace as its own people see and ask for it. */
@Injectable()
export class BillingService {
  constructor(
    private readonly requests: UpgradeRequestsRepository,
    private readonly clock: Clock,
    private readonly database: Database,
    private readonly plans: BillingRepository,
    private readonly room: RepositoryQuotaRepository,
    private readonly storage: StorageQuota,
    private readonly names: PlatformBillingQueries,
    private readonly audit: AuditRepository,
  ) {}

  /** The last one that was not withdrawn; null where there is none. */
  findLatest(tx: TenantTransaction): Promise<UpgradeRequest | null> {
    return this.requests.findLatest(tx);
  }

  /**
   * Refuses with `conflict` while one is open, and with `rate_limited` where the workspace asked too often in the last 24
   * hours. Expects that nobody else opens one meanwhile.
   */
  async open(tx: TenantTransaction, requestedBy: number, note: string | null): Promise<UpgradeRequest> {
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
  async decide(tx: TenantTransaction, id: string, decision: RequestDecision): Promise<UpgradeRequest> {
    const decided = await this.requests.close(tx, id, decision, this.clock.now());
    if (decided) return decided;
    const request = await this.requests.find(tx, id);
    if (!request) throw noSuchRequest();
    throw new DomainError('conflict', `The request is no longer open: it was ${request.status}.`);
  }

  async read(orgId: OrgId): Promise<BillingState> {
    // Of the whole workspace, whoever looks: what is left of the plan is the same for everybody, and names no repository.
    const { use, storage, request } = await this.database.inTenant(orgId, async (tx) => ({
      use: await this.room.getUsage(tx),
      storage: await this.storage.use(tx),
      request: await this.findLatest(tx),
    }));
    return { ...use, storage, request: request && (await this.names.name(request)) };
  }

  /** Asks for the pro plan. Refuses with `conflict` where there is nothing to ask for, or a request is open. */
  async requestUpgrade({ orgId, user }: Member, note: string | null): Promise<NamedRequest> {
    const request = await this.database.inTenant(orgId, async (tx) => {
      const { org } = await this.plans.lock(tx);
      const { plan } = await this.room.getUsage(tx);
      if (plan === 'pro') throw new DomainError('conflict', 'The workspace has all that the pro plan offers already.');
      const opened = await this.open(tx, user.id, note);
      await this.audit.append(tx, {
        actor: { type: 'person', id: user.id, login: user.login },
        action: 'plan.upgrade_requested',
        subject: org,
        data: { requestId: opened.id, note },
        repositoryIds: [],
      });
      return opened;
    });
    return this.names.name(request);
  }

  /** Takes an open request back. */
  async withdraw({ orgId, user }: Member, id: string): Promise<void> {
    if (!isUuid(id)) throw noSuchRequest();
    await this.database.inTenant(orgId, async (tx) => {
      const { org } = await this.plans.lock(tx);
      await this.decide(tx, id, { status: 'withdrawn', decidedBy: user.id });
      await this.audit.append(tx, {
        actor: { type: 'person', id: user.id, login: user.login },
        action: 'plan.request_withdrawn',
        subject: org,
        data: { requestId: id },
        repositoryIds: [],
      });
    });
  }
}
