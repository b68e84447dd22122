import { Injectable } from '@nestjs/common';
import type { User } from '../../auth/user.js';
import { Database, type TenantTransaction } from '../../database/database.js';
import { isUuid } from '../../database/ids.js';
import type { UpgradeRequestStatus } from '../../domain/billing/plan.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { pageOffset, type Page, type PageRequest } from '../../http/pagination/pagination.dto.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { RepositoryQuotaService } from '../../workspaces/repository-quota.service.js';
import { AuditLogService } from '../audit/audit-log.service.js';
import { StorageQuotaService } from '../evidence/storage/storage-quota.service.js';
import { ReleasesQueries } from '../releases/records/releases.queries.js';
import type { WorkspacePlanDto, WorkspaceUsageDto } from './billing.dto.js';
import { BillingRepository, type RequestDecision } from './billing.repository.js';
import { upgradeRequestNotFound } from './billing.errors.js';
import { BillingService } from './billing.service.js';
import { type NamedRequest, type PlatformRequest, PlatformBillingQueries } from './platform-billing.queries.js';

const BATCH_SIZE = 500;

/** The plans and the usage of all workspaces, for platform admins. They see nothing else of a workspace. */
@Injectable()
export class PlatformBillingService {
  constructor(
    private readonly quota: RepositoryQuotaService,
    private readonly storage: StorageQuotaService,
    private readonly releases: ReleasesQueries,
    private readonly jobs: JobsService,
    private readonly database: Database,
    private readonly platform: PlatformBillingQueries,
    private readonly plans: BillingRepository,
    private readonly billing: BillingService,
    private readonly audit: AuditLogService,
  ) {}

  /** Makes waiting repositories managed, as far as the quota allows. Jobs evaluate the releases whose gate was closed for it. */
  async manageWaitingRepositories(tx: TenantTransaction): Promise<void> {
    for (const repositoryId of await this.quota.reserveForWaiting(tx)) {
      for (const { id: releaseId } of await this.releases.listActive(tx, repositoryId)) {
        await this.jobs.enqueue(tx, 'refresh-release', { orgId: tx.orgId, releaseId, cause: 'plan' });
      }
    }
  }

  /** Lists a page of the requests, newest first; null means every status. */
  async listPage(status: UpgradeRequestStatus | null, page: PageRequest): Promise<Page<NamedRequest<PlatformRequest>>> {
    const total = await this.platform.count(status);
    const requests = await this.platform.listPage(status, page.pageSize, pageOffset(page));
    return { total, items: await this.platform.addRequesterLogins(requests) };
  }

  /** Lists all requests in batches. */
  async *listAll(status: UpgradeRequestStatus | null): AsyncGenerator<readonly NamedRequest<PlatformRequest>[]> {
    for (let last: PlatformRequest | null = null, more = true; more;) {
      const batch: readonly PlatformRequest[] = await this.platform.listAfter(status, last, BATCH_SIZE);
      if (batch.length > 0) yield await this.platform.addRequesterLogins(batch);
      last = batch.at(-1) ?? null;
      more = batch.length === BATCH_SIZE;
    }
  }

  /** Lists a page of the workspaces by login, with the usage of each; null means every workspace. */
  async listUsage(search: string | null, page: PageRequest): Promise<Page<WorkspaceUsageDto>> {
    const { items, total } = await this.platform.listWorkspaces(search, page);
    const usages: WorkspaceUsageDto[] = [];
    for (const { orgId, org } of items) {
      usages.push(
        await this.database.inTenant(orgId, async (tx) => {
          const { plan, ...managedRepositories } = await this.quota.getUsage(tx);
          const storage = await this.storage.use(tx);
          return { org, plan, managedRepositories, storage };
        }),
      );
    }
    return { total, items: usages };
  }

  /** Gives the workspace the pro plan. Throws `conflict` if the request was decided before. */
  approve(admin: User, requestId: string, paymentReference: string): Promise<NamedRequest<PlatformRequest>> {
    const decision = { status: 'approved', decidedBy: admin.id, paymentReference } as const;
    return this.decide(requestId, decision, async (tx, { org }) => {
      await this.plans.setPlan(tx, 'pro');
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

  /** Gives a workspace the free plan. Its managed repositories stay managed, also above the quota. */
  async downgrade(admin: User, login: string, reason: string): Promise<WorkspacePlanDto> {
    const orgId = await this.platform.findWorkspaceByLogin(login);
    if (orgId === null)
      throw new DomainError('not_found', 'There is no such workspace, or more than one has this login.');
    return this.database.inTenant(orgId, async (tx) => {
      const { org, plan } = await this.plans.lockPlan(tx);
      if (plan === 'free')
        throw new DomainError('conflict', 'The workspace is on the free plan already.', { errorCode: 'same_plan' });
      await this.plans.setPlan(tx, 'free');
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
    apply: (tx: TenantTransaction, workspace: WorkspacePlanDto) => Promise<void>,
  ): Promise<NamedRequest<PlatformRequest>> {
    const orgId = isUuid(requestId) ? await this.platform.findWorkspaceByRequest(requestId) : null;
    if (orgId === null) throw upgradeRequestNotFound();
    const decided = await this.database.inTenant(orgId, async (tx) => {
      const workspace = await this.plans.lockPlan(tx);
      const request = await this.billing.decide(tx, requestId, decision);
      await apply(tx, workspace);
      return { ...request, org: workspace.org };
    });
    return this.platform.addRequesterLogin(decided);
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
