export type Plan = 'free' | 'pro';

/** The repository quota of each plan. Null means no limit. */
const MANAGED_REPOSITORIES: Readonly<Record<Plan, number | null>> = { free: 3, pro: null };

/** Returns the repository quota of the plan. Null if it sets no limit. */
export const managedRepositoryLimit = (plan: Plan): number | null => MANAGED_REPOSITORIES[plan];

/** Returns the number of free places in the quota. Null means no limit. */
export function remainingQuota(plan: Plan, managed: number): number | null {
  const limit = managedRepositoryLimit(plan);
  // A downgrade keeps all managed repositories, so there may be more than the quota.
  return limit === null ? null : Math.max(0, limit - managed);
}

/** Returns the effective plan of a workspace. Without billing every workspace has the pro plan. */
export const effectivePlan = (plan: Plan, billing: boolean): Plan => (billing ? plan : 'pro');

export const UPGRADE_REQUEST_STATUSES = ['open', 'approved', 'rejected', 'withdrawn'] as const;

/** The status of a request for the pro plan. */
export type UpgradeRequestStatus = (typeof UPGRADE_REQUEST_STATUSES)[number];
