export const UPGRADE_REQUEST_STATUSES = ['open', 'approved', 'rejected', 'withdrawn'] as const;

/** What became of a request for the pro plan. */
export type UpgradeRequestStatus = (typeof UPGRADE_REQUEST_STATUSES)[number];

/** An admin's request that the workspace be put on the pro plan. A decided one is never decided again. */
export interface UpgradeRequest {
  readonly id: string;
  readonly status: UpgradeRequestStatus;
  /** What the admin wrote; null where nothing. */
  readonly note: string | null;
  /** The admin's id on the code host. */
  readonly requestedBy: number;
  readonly requestedAt: Date;
  /** When it was approved, rejected or withdrawn; null while it is open. */
  readonly decidedAt: Date | null;
  /** By what the payment is found; null unless it was approved. */
  readonly paymentReference: string | null;
  /** Why it was rejected; null unless it was. */
  readonly reason: string | null;
}
