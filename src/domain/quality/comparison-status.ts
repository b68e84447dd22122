/** Whether the tests of a release were compared by name: `pending` is being done, and `unknown` cannot be. */
export const COMPARISON_STATUSES = ['known', 'pending', 'unknown'] as const;
export type ComparisonStatus = (typeof COMPARISON_STATUSES)[number];
