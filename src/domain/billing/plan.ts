export type Plan = 'free' | 'pro';

/** How many repositories a workspace may have managed; null is any number. */
const MANAGED_REPOSITORIES: Readonly<Record<Plan, number | null>> = { free: 3, pro: null };

/** How many repositories the plan allows to be managed; null where it sets no limit. */
export const managedRepositoryLimit = (plan: Plan): number | null => MANAGED_REPOSITORIES[plan];

/** How many more repositories may be managed beside those that are; null is any number. */
export function remainingQuota(plan: Plan, managed: number): number | null {
  const limit = managedRepositoryLimit(plan);
  // A downgrade takes no place away, so more may be taken than there are.
  return limit === null ? null : Math.max(0, limit - managed);
}

/** The plan by which a workspace is treated: where billing is off, every one has what the pro plan offers. */
export const effectivePlan = (plan: Plan, billing: boolean): Plan => (billing ? plan : 'pro');

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
