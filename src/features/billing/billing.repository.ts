import { Injectable } from '@nestjs/common';
import { MoreThan, Not } from 'typeorm';
import type { TenantTransaction } from '../../database/database.js';
import { OrganizationEntity, UpgradeRequestEntity } from '../../database/entities.js';
import type { Plan, UpgradeRequestStatus } from '../../domain/billing/plan.js';
import type { WorkspacePlanDto } from './billing.dto.js';

/** A request of an admin for the pro plan. A decided request does not change any more. */
export type UpgradeRequest = Omit<UpgradeRequestEntity, 'orgId' | 'decidedBy'>;

/** The columns of a request. The manager reads `requestedBy` as a number, hand-written SQL as text. */
export const REQUEST_COLUMNS = `id, status, note, requested_by as "requestedBy", requested_at as "requestedAt",
  decided_at as "decidedAt", payment_reference as "paymentReference", reason`;

const REQUEST = {
  id: true,
  status: true,
  note: true,
  requestedBy: true,
  requestedAt: true,
  decidedAt: true,
  paymentReference: true,
  reason: true,
} as const;

/** The decision about a request, and the GitHub id of the user who decided. */
export interface RequestDecision {
  readonly status: Exclude<UpgradeRequestStatus, 'open'>;
  readonly decidedBy: number;
  readonly paymentReference?: string;
  readonly reason?: string;
}

/** Stores the plan of a workspace and its requests for the pro plan. An index allows one open request. */
@Injectable()
export class BillingRepository {
  /**
   * Returns the stored plan, which has no effect without billing, and locks it until the transaction ends. Other transactions can
   * neither change it nor reserve places in its quota.
   */
  async lockPlan(tx: TenantTransaction): Promise<WorkspacePlanDto> {
    const [workspace] = await tx.query<WorkspacePlanDto>(
      'select login as org, plan from organization for no key update',
    );
    if (!workspace) throw new Error(`The workspace ${tx.orgId} has no row, so it has no plan.`);
    return workspace;
  }

  async setPlan(tx: TenantTransaction, plan: Plan): Promise<void> {
    await tx.manager.update(OrganizationEntity, { orgId: tx.orgId }, { plan });
  }

  /** Returns null if another request is open. */
  async createRequest(
    tx: TenantTransaction,
    request: Pick<UpgradeRequest, 'id' | 'note' | 'requestedBy' | 'requestedAt'>,
  ): Promise<UpgradeRequest | null> {
    const { id, note, requestedBy, requestedAt } = request;
    const [created] = await tx.query<Omit<UpgradeRequest, 'requestedBy'>>(
      `insert into upgrade_request (org_id, id, status, note, requested_by, requested_at) values ($1, $2, 'open', $3, $4, $5)
       on conflict (org_id) where status = 'open' do nothing
       returning ${REQUEST_COLUMNS}`,
      [tx.orgId, id, note, requestedBy, requestedAt],
    );
    return created ? { ...created, requestedBy } : null;
  }

  /** Lists the times of the requests that were created after `since`, oldest first. */
  async listRequestTimesSince(tx: TenantTransaction, since: Date): Promise<readonly Date[]> {
    const requests = await tx.manager.find(UpgradeRequestEntity, {
      select: { id: true, requestedAt: true },
      where: { requestedAt: MoreThan(since) },
      order: { requestedAt: 'asc' },
    });
    return requests.map(({ requestedAt }) => requestedAt);
  }

  /** Finds the newest request that was not withdrawn. */
  findLatestRequest(tx: TenantTransaction): Promise<UpgradeRequest | null> {
    return tx.manager.findOne(UpgradeRequestEntity, {
      select: REQUEST,
      where: { status: Not('withdrawn') },
      order: { requestedAt: 'desc', id: 'asc' },
    });
  }

  findRequest(tx: TenantTransaction, id: string): Promise<UpgradeRequest | null> {
    return tx.manager.findOne(UpgradeRequestEntity, { select: REQUEST, where: { id } });
  }

  /** Closes an open request. Returns null if it is not open, so that of two concurrent decisions only one is saved. */
  async closeRequest(
    tx: TenantTransaction,
    id: string,
    decision: RequestDecision,
    decidedAt: Date,
  ): Promise<UpgradeRequest | null> {
    const closed = await tx.manager.update(
      UpgradeRequestEntity,
      { id, status: 'open' },
      { ...decision, decidedAt },
      { returning: REQUEST_COLUMNS },
    );
    return firstRequest(closed.raw);
  }
}

const firstRequest = (rows: unknown): UpgradeRequest | null => (rows as readonly UpgradeRequest[])[0] ?? null;
