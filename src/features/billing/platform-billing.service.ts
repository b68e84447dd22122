import { Injectable } from '@nestjs/common';
import type { User } from '../../auth/user.js';
import { Database, type TenantTransaction } from '../../database/database.js';
import { isUuid } from '../../database/ids.js';
import type { UpgradeRequestStatus } from '../../domain/billing/plan.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { pageOffset, type Page, type PageRequest } from '../../http/pagination/pagination.dto.js';
import { RepositoryQuotaRepository } from '../../workspaces/repository-quota.repository.js';
import { AuditRepository } from '../audit/audit.repository.js';
import { RefreshRequests } from '../releases/evaluation/refresh-requests.repository.js';
import { ReleasesQueries } from '../releases/records/releases.queries.js';
import { BillingRepository, type RequestDecision, type WorkspacePlan } from './billing.repository.js';
import { noSuchRequest, BillingService } from './billing.service.js';
import { type NamedRequest, type PlatformRequest, PlatformBillingQueries } from './platform-billing.queries.js';

const BATCH = 500;

/** The repositories that wait for room in their workspace's plan. The plans of all workspaces in the hands of platform admins, who are told nothing else of them. */
@Injectable()
export class PlatformBillingService {
  constructor(
    private readonly room: RepositoryQuotaRepository,
    private readonly releases: ReleasesQueries,
    private readonly refreshes: RefreshRequests,
    private readonly database: Database,
    private readonly platform: PlatformBillingQueries,
    private readonly plans: BillingRepository,
    private readonly requests: BillingService,
    private readonly audit: AuditRepository,
  ) {}

  /** Makes as many of them managed as there is room for; jobs think over the releases whose gate was closed for it. */
  async manageWaitingRepositories(tx: TenantTransaction): Promise<void> {
    for (const repositoryId of await this.room.reserveForWaiting(tx)) {
      const active = await this.releases.listActive(tx, repositoryId);
      await this.refreshes.askFor(
        tx,
        active.map(({ id }) => id),
        'plan',
      );
    }
  }

  /** The newest first; null is every status. */
  async listPage(status: UpgradeRequestStatus | null, page: PageRequest): Promise<Page<NamedRequest<PlatformRequest>>> {
    const total = await this.platform.count(status);
    const requests = await this.platform.listPage(status, page.pageSize, pageOffset(page));
    return { total, items: await this.platform.addRequesterLogins(requests) };
  }

  /** All of them, batch by batch. */
  async *listAll(status: UpgradeRequestStatus | null): AsyncGenerator<readonly NamedRequest<PlatformRequest>[]> {
    for (let last: PlatformRequest | null = null, more = true; more;) {
      const batch: readonly PlatformRequest[] = await this.platform.listAfter(status, last, BATCH);
      if (batch.length > 0) yield await this.platform.addRequesterLogins(batch);
      last = batch.at(-1) ?? null;
      more = batch.length === BATCH;
    }
  }

  /** Puts the workspace on the pro plan at once. Of several decisions about a request the first one stands. */
  approve(admin: User, requestId: string, paymentReference: string): Promise<NamedRequest<PlatformRequest>> {
    const decision = { status: 'approved', decidedBy: admin.id, paymentReference } as const;
    return this.decide(requestId, decision, async (tx, { org }) => {
      await this.plans.change(tx, 'pro');
      await this.manageWaitingRepositories(tx);
      await this.audit.append(tx, {
        actor: platformActor(admin),
        action: 'plan.upgraded',
        subject: org,
        data: { requestId, paymentReference },
        repositoryIds: [],
      });
    });
  }

  reject(admin: User, requestId: string, reason: string): Promise<NamedRequest<PlatformRequest>> {
    const decision = { status: 'rejected', decidedBy: admin.id, reason } as const;
    return this.decide(requestId, decision, async (tx, { org }) => {
      await this.audit.append(tx, {
        actor: platformActor(admin),
        action: 'plan.upgrade_rejected',
        subject: org,
        data: { requestId, reason },
        repositoryIds: [],
      });
    });
  }

  /** Puts a workspace on the free plan. What it has managed by now stays so; further repositories find no room. */
  async downgrade(admin: User, login: string, reason: string): Promise<WorkspacePlan> {
    const orgId = await this.platform.findWorkspaceByLogin(login);
    if (orgId === null) throw new DomainError('not_found', 'There is no such workspace, or more than one.');
    return this.database.inTenant(orgId, async (tx) => {
      const { org, plan } = await this.plans.lock(tx);
      if (plan === 'free') throw new DomainError('conflict', 'The workspace is on the free plan already.');
      await this.plans.change(tx, 'free');
      await this.audit.append(tx, {
        actor: platformActor(admin),
        action: 'plan.downgraded',
        subject: org,
        data: { reason },
        repositoryIds: [],
      });
      return { org, plan: 'free' };
    });
  }

  private async decide(
    requestId: string,
    decision: RequestDecision,
    carryOut: (tx: TenantTransaction, workspace: WorkspacePlan) => Promise<void>,
  ): Promise<NamedRequest<PlatformRequest>> {
    const orgId = isUuid(requestId) ? await this.platform.findWorkspaceOf(requestId) : null;
    if (orgId === null) throw noSuchRequest();
    const decided = await this.database.inTenant(orgId, async (tx) => {
      const workspace = await this.plans.lock(tx);
      const request = await this.requests.decide(tx, requestId, decision);
      await carryOut(tx, workspace);
      return { ...request, org: workspace.org };
    });
    return this.platform.name(decided);
  }
}

const platformActor = ({
  id,
  login,
}: User): { readonly type: 'person'; readonly id: number; readonly login: string } => ({
  type: 'person',
  id,
  login,
});
