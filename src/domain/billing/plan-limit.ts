export type Plan = 'free' | 'pro';

/** How many repositories a workspace may have managed. */
const MANAGED_REPOSITORIES: Readonly<Record<Plan, number>> = { free: 3, pro: Number.POSITIVE_INFINITY };

/** Whether one more repository may be managed beside those that are. */
export const hasRoomFor = (plan: Plan, managed: number): boolean => managed < MANAGED_REPOSITORIES[plan];
