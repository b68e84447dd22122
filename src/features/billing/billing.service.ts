import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Member } from '../../auth/caller.js';
import { Clock } from '../../config/clock.js';
import { Database, type TenantTransaction } from '../../database/database.js';
import { isUuid, type OrgId } from '../../database/ids.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { RepositoryQuotaService, type QuotaUsage } from '../../workspaces/repository-quota.service.js';
import { AuditLogService } from '../audit/audit-log.service.js';
import { StorageQuotaService, type StorageUse } from '../evidence/storage/storage-quota.service.js';
import { upgradeRequestLimitReached, upgradeRequestNotFound } from './billing.errors.js';
import { BillingRepository, type RequestDecision, type UpgradeRequest } from './billing.repository.js';
import { type NamedRequest, PlatformBillingQueries } from './platform-billing.queries.js';

const DAY_MS = 24 * 3_600_000;
/** The maximum number of requests of a workspace per day, because withdrawn requests fill the list of the platform admins. */
const MAX_REQUESTS_PER_DAY = 20;

/** The plan, quotas and last request of a workspace. */
export interface BillingState extends QuotaUsage {
  readonly storage: StorageUse;
  /** The last request that was not withdrawn; null if there is none. */
  readonly request: NamedRequest | null;
}

/** The plan of a workspace and its requests for the pro plan, for its own members. */
@Injectable()
export class BillingService {
  constructor(
    private readonly clock: Clock,
    private readonly database: Database,
    private readonly billing: BillingRepository,
    private readonly quota: RepositoryQuotaService,
    private readonly storage: StorageQuotaService,
    private readonly requesters: PlatformBillingQueries,
    private readonly audit: AuditLogService,
  ) {}

  /**
   * Creates a request. Throws `conflict` if one is open, `rate_limited` if the workspace created too many in the last 24 hours. The
   * caller holds the lock of the plan.
   */
  async create(tx: TenantTransaction, requestedBy: number, note: string | null): Promise<UpgradeRequest> {
    const now = this.clock.now();
    const request = { id: randomUUID(), note, requestedBy, requestedAt: now };
    const created = await this.billing.createRequest(tx, request);
    if (!created)
      throw new DomainError('conflict', 'A request for the pro plan is open already.', { errorCode: 'request_open' });
    const times = await this.billing.listRequestTimesSince(tx, new Date(now.getTime() - DAY_MS));
    const oldest = times[0];
    // This includes the new request, which is rolled back.
    if (oldest && times.length > MAX_REQUESTS_PER_DAY)
      throw upgradeRequestLimitReached(MAX_REQUESTS_PER_DAY, oldest.getTime() + DAY_MS - now.getTime());
    return created;
  }

  /** Throws `conflict` if the request is not open, `not_found` if the workspace has no such request. */
  async decide(tx: TenantTransaction, id: string, decision: RequestDecision): Promise<UpgradeRequest> {
    const decided = await this.billing.closeRequest(tx, id, decision, this.clock.now());
    if (decided) return decided;
    const request = await this.billing.findRequest(tx, id);
    if (!request) throw upgradeRequestNotFound();
    throw new DomainError('conflict', `The request is no longer open: it was ${request.status}.`, {
      errorCode: 'request_closed',
    });
  }

  async read(orgId: OrgId): Promise<BillingState> {
    // Without a viewer, because the quota of the workspace is the same for all members and names no repository.
    const { usage, storage, request } = await this.database.inTenant(orgId, async (tx) => ({
      usage: await this.quota.getUsage(tx),
      storage: await this.storage.use(tx),
      request: await this.billing.findLatestRequest(tx),
    }));
    return { ...usage, storage, request: request && (await this.requesters.addRequesterLogin(request)) };
  }

  /** Requests the pro plan. Throws `conflict` if the workspace has it, or a request is open. */
  async requestUpgrade({ orgId, user }: Member, note: string | null): Promise<NamedRequest> {
    const request = await this.database.inTenant(orgId, async (tx) => {
      const { org } = await this.billing.lockPlan(tx);
      const { plan } = await this.quota.getUsage(tx);
      if (plan === 'pro')
        throw new DomainError('conflict', 'The workspace has the pro plan already.', { errorCode: 'same_plan' });
      const created = await this.create(tx, user.id, note);
      await this.audit.append(tx, {
        actor: { type: 'person', id: user.id, login: user.login },
        action: 'plan.upgrade_requested',
        subject: org,
        data: { requestId: created.id, note },
        repositoryIds: [],
      });
      return created;
    });
    return this.requesters.addRequesterLogin(request);
  }

  /** Withdraws an open request. */
  async withdraw({ orgId, user }: Member, id: string): Promise<void> {
    if (!isUuid(id)) throw upgradeRequestNotFound();
    await this.database.inTenant(orgId, async (tx) => {
      const { org } = await this.billing.lockPlan(tx);
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
