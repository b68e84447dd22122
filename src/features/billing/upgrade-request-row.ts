import type { UpgradeRequest, UpgradeRequestStatus } from '../../domain/billing/upgrade-request.js';

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
