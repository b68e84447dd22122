export interface Counts {
  readonly covered: number;
  readonly total: number;
}

export const NO_COUNTS: Counts = { covered: 0, total: 0 };

export const addCounts = (a: Counts, b: Counts): Counts => ({
  covered: a.covered + b.covered,
  total: a.total + b.total,
});

/** Returns the percentage, rounded down to hundredths, so that 79.999 never counts as 80. */
export function percentage({ covered, total }: Counts): number | null {
  return total === 0 ? null : Math.floor((covered * 10_000) / total) / 100;
}

/** Returns the counts with the lowest share, the first ones of equal shares. Counts without a total state nothing. */
export function findLowest(first: Counts, ...others: readonly Counts[]): Counts {
  return others.reduce((lowest, counts) => (isLower(counts, lowest) ? counts : lowest), first);
}

/** Whether the share of the first counts is lower. */
const isLower = (a: Counts, b: Counts): boolean =>
  a.total > 0 && (b.total === 0 || a.covered / a.total < b.covered / b.total);
