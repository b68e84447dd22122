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

/** The totals that a report states. A report may state only some of them. */
export interface StatedTotals {
  readonly covered?: number;
  readonly total?: number;
  readonly rate?: StatedRate;
}

/** A stated rate from 0 to 1, and how far the real rate may be from it because of its rounding. */
export interface StatedRate {
  readonly value: number;
  readonly tolerance: number;
}

/** The names of the units of a report in its notes. */
export interface Units {
  /** What is counted, in the plural and in the name of its rate. */
  readonly counted: string;
  readonly rate: string;
  /** What the totals count if it is something else. Then only the shares can be compared. */
  readonly stated?: string;
  /** The names of the totals in the report, if notes name them one by one. */
  readonly names?: { readonly covered: string; readonly total: string };
}

/** The counts that totals state, and how they contradict the counted ones. */
interface StatedCoverage {
  /** Null if the totals state none. */
  readonly counts: Counts | null;
  readonly notes: readonly string[];
}

/**
 * Reads totals, completed by the counted ones. If more is covered than there is, the two numbers change places. A rate
 * below the counts has priority over them.
 */
export function readStated({ covered, total, rate }: StatedTotals, counted: Counts, units: Units): StatedCoverage {
  const notes: string[] = [];
  let counts: Counts | null = null;
  if (covered !== undefined || total !== undefined) {
    const [hit = counted.covered, all = counted.total] = [covered, total];
    counts = { covered: Math.min(hit, all), total: Math.max(hit, all) };
    notes.push(...differences({ covered: hit, total: all }, counted, units));
  }
  const base = counts ?? counted;
  if (rate === undefined || base.total === 0) return { counts, notes };
  const difference = rate.value - base.covered / base.total;
  // Istanbul counts branches in its rates that it does not list.
  if (Math.abs(difference) <= rate.tolerance || (difference > 0 && units.counted === 'branches'))
    return { counts, notes };
  notes.push(`a ${units.rate} rate of ${rate.value} stated, ${formatCounts(base)} counted`);
  // The addition compensates for the error of the product, for example of 0.29 and 100.
  if (difference < 0) counts = { covered: Math.floor(rate.value * base.total + 1e-6), total: base.total };
  return { counts, notes };
}

function differences(stated: Counts, counted: Counts, units: Units): readonly string[] {
  const { names } = units;
  if (names) {
    return (['total', 'covered'] as const)
      .filter((name) => stated[name] !== counted[name])
      .map((name) => `${names[name]} ${stated[name]} stated, ${counted[name]} counted`);
  }
  if (isConsistent(stated, counted, units)) return [];
  const unit = units.stated === undefined ? '' : `${units.counted} `;
  return [`${formatCounts(stated)} ${units.stated ?? units.counted} stated, ${formatCounts(counted)} ${unit}counted`];
}

const isConsistent = (stated: Counts, counted: Counts, { stated: other }: Units): boolean =>
  other === undefined
    ? stated.covered === counted.covered && stated.total === counted.total
    : stated.total > 0 === counted.total > 0 && stated.covered * counted.total === counted.covered * stated.total;

const formatCounts = ({ covered, total }: Counts): string => `${covered} of ${total}`;

/** Returns the worse of two statements about the same lines. */
export function worseTotals(a: StatedTotals | null, b: StatedTotals): StatedTotals {
  if (a === null) return b;
  const covered = Math.min(a.covered ?? Number.POSITIVE_INFINITY, b.covered ?? Number.POSITIVE_INFINITY);
  const total = Math.max(a.total ?? -1, b.total ?? -1);
  const rate = !a.rate || (b.rate && b.rate.value < a.rate.value) ? b.rate : a.rate;
  return { ...(Number.isFinite(covered) && { covered }), ...(total >= 0 && { total }), ...(rate && { rate }) };
}
