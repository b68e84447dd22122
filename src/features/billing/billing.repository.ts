import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../database/database.js';
import type { Plan, UpgradeRequest, UpgradeRequestStatus } from '../../domain/billing/plan.js';

/** A workspace by the login of its organization, and the plan that it is on, whether or not billing is. */
export interface WorkspacePlan {
  readonly org: string;
  readonly plan: Plan;
}

/** The plan of a workspace. */
@Injectable()
export class BillingRepository {
  /** Nobody else changes the plan, or takes room in it, until the transaction ends. */
  async lock(tx: TenantTransaction): Promise<WorkspacePlan> {
    const [workspace] = await tx.query<WorkspacePlan>('select login as org, plan from organization for no key update');
    if (!workspace) throw new Error('A workspace without a row has no plan.');
    return workspace;
  }

  async change(tx: TenantTransaction, plan: Plan): Promise<void> {
    await tx.query('update organization set plan = $1', [plan]);
  }
}

/** A request as the database answers it, to its workspace and to platform admins alike. */
export interface UpgradeRequestRow {
  readonly id: string;
  readonly status: UpgradeRequestStatus;
  readonly note: string | null;
  readonly requested_by: string;
  readonly requested_at: Date;
  readonly decided_at: Date | null;
  readonly payment_reference: string | null;
  readonly reason: string | null;
}

export const REQUEST_COLUMNS = 'id, status, note, requested_by, requested_at, decided_at, payment_reference, reason';

export const upgradeRequestOf = (row: UpgradeRequestRow): UpgradeRequest => ({
  id: row.id,
  status: row.status,
  note: row.note,
  requestedBy: Number(row.requested_by),
  requestedAt: row.requested_at,
  decidedAt: row.decided_at,
  paymentReference: row.payment_reference,
  reason: row.reason,
});

/** What was decided about a request, and by whom. */
export interface RequestDecision {
  readonly status: Exclude<UpgradeRequestStatus, 'open'>;
  /** The person's id on the code host. */
  readonly decidedBy: number;
  readonly paymentReference?: string;
  readonly reason?: string;
}

/** The requests of a workspace for the pro plan; the database sees to it that one is open at most. */
@Injectable()
export class UpgradeRequestsRepository {
  /** Null where one is open already. */
  async open(
    tx: TenantTransaction,
    { id, note, requestedBy, at }: { id: string; note: string | null; requestedBy: number; at: Date },
  ): Promise<UpgradeRequest | null> {
    return one(
      await tx.query<UpgradeRequestRow>(
        `insert into upgrade_request (org_id, id, status, note, requested_by, requested_at)
         values ($1, $2, 'open', $3, $4, $5)
         on conflict (org_id) where status = 'open' do nothing returning ${REQUEST_COLUMNS}`,
        [tx.orgId, id, note, requestedBy, at],
      ),
    );
  }

  /** When those were made that were made since the moment, the oldest first. */
  async listTimesSince(tx: TenantTransaction, since: Date): Promise<readonly Date[]> {
    const rows = await tx.query<{ readonly requested_at: Date }>(
      'select requested_at from upgrade_request where requested_at > $1 order by requested_at',
      [since],
    );
    return rows.map(({ requested_at: at }) => at);
  }

  /** The newest one that was not withdrawn. */
  async findLatest(tx: TenantTransaction): Promise<UpgradeRequest | null> {
    return one(
      await tx.query<UpgradeRequestRow>(
        `select ${REQUEST_COLUMNS} from upgrade_request where status <> 'withdrawn' order by requested_at desc, id limit 1`,
      ),
    );
  }

  async find(tx: TenantTransaction, id: string): Promise<UpgradeRequest | null> {
    return one(await tx.query<UpgradeRequestRow>(`select ${REQUEST_COLUMNS} from upgrade_request where id = $1`, [id]));
  }

  /** Null where it is not open, so that of two decisions at once one is made. */
  async close(tx: TenantTransaction, id: string, decision: RequestDecision, at: Date): Promise<UpgradeRequest | null> {
    const { status, decidedBy, paymentReference = null, reason = null } = decision;
    return one(
      await tx.query<UpgradeRequestRow>(
        `update upgrade_request
         set status = $2, decided_by = $3, decided_at = $4, payment_reference = $5, reason = $6
         where id = $1 and status = 'open' returning ${REQUEST_COLUMNS}`,
        [id, status, decidedBy, at, paymentReference, reason],
      ),
    );
  }
}

const one = ([row]: readonly UpgradeRequestRow[]): UpgradeRequest | null => (row ? upgradeRequestOf(row) : null);
