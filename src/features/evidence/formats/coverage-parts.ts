import { addCounts, type Counts, findLowest, NO_COUNTS } from './coverage.js';
import type { CoverageMeasure } from './covered-files.js';

/** What a report lists and states about the lines or the branches of a file, or states of a group of files. */
export interface CoveragePart<T> {
  /** Parts with equal keys are united. Null if it cannot be united with another one. */
  readonly key: string | null;
  /** What is listed; null if there is nothing. */
  readonly listed: T | null;
  readonly stated: Counts | null;
  /** Whether the totals count where nothing is listed. If not, they count only where they are worse. */
  readonly countsTotals: boolean;
  /** The readings of the files of a group, which its stated totals replace. */
  readonly replaced?: Readings;
}

/** What a report counts by its lists, by the totals that it states for files, and by the lower of both for each file. */
export interface Readings {
  readonly counted: Counts;
  readonly stated: Counts;
  readonly lower: Counts;
}

export function toReadings<T>(part: CoveragePart<T>, measure: CoverageMeasure<T>): Readings {
  const { listed, stated, countsTotals, replaced } = part;
  if (replaced) return { ...replaced, lower: stated ?? replaced.lower };
  const totals = countsTotals ? stated : null;
  const counted = listed === null ? (totals ?? NO_COUNTS) : measure.count(listed);
  return { counted, stated: stated ?? counted, lower: findLowest(counted, stated ?? counted) };
}

const NO_READINGS: Readings = { counted: NO_COUNTS, stated: NO_COUNTS, lower: NO_COUNTS };

export const addReadings = (a: Readings, b: Readings): Readings => ({
  counted: addCounts(a.counted, b.counted),
  stated: addCounts(a.stated, b.stated),
  lower: addCounts(a.lower, b.lower),
});

export function sumReadings<T>(parts: readonly CoveragePart<T>[], measure: CoverageMeasure<T>): Readings {
  return parts.reduce((sum, part) => addReadings(sum, toReadings(part, measure)), NO_READINGS);
}

/** Unites the parts of each file, in the order of the first ones. */
export function uniteParts<T>(
  parts: Iterable<CoveragePart<T>>,
  measure: CoverageMeasure<T>,
): readonly CoveragePart<T>[] {
  const files: [CoveragePart<T>, ...CoveragePart<T>[]][] = [];
  const byKey = new Map<string, CoveragePart<T>[]>();
  for (const part of parts) {
    const known = part.key === null ? undefined : byKey.get(part.key);
    if (known !== undefined) {
      known.push(part);
      continue;
    }
    const file: [CoveragePart<T>] = [part];
    files.push(file);
    if (part.key !== null) byKey.set(part.key, file);
  }
  return files.map((file) => (file.length === 1 ? file[0] : unite(file, measure)));
}

/**
 * Unites the parts of one file. Only totals that are lower than the list of their part stay, because no total is of all parts. The
 * lists are united before they are counted, so that each line and branch is visited once for each part that lists it.
 */
function unite<T>(
  parts: readonly [CoveragePart<T>, ...CoveragePart<T>[]],
  measure: CoverageMeasure<T>,
): CoveragePart<T> {
  const [{ key, countsTotals }] = parts;
  const totals = parts.map((part) => lowerTotals(part, measure)).filter((stated) => stated !== null);
  const [first, ...others] = parts.map(({ listed }) => listed).filter((listed) => listed !== null);
  return {
    key,
    listed:
      first === undefined ? null : others.reduce((all, listed) => measure.unite(all, listed), measure.copy(first)),
    countsTotals,
    stated: totals.length === 0 ? null : totals.reduce((lowest, stated) => findLowest(lowest, stated)),
  };
}

function lowerTotals<T>({ listed, stated }: CoveragePart<T>, measure: CoverageMeasure<T>): Counts | null {
  const counted = listed === null ? NO_COUNTS : measure.count(listed);
  return stated !== null && findLowest(counted, stated) === stated ? stated : null;
}
