import { MAX_COUNT } from '../../../domain/evidence/evidence.js';
import { valueRefused } from '../evidence.errors.js';
import { isMembers, type Members } from '../parsing/upload-body.js';
import { excerpt } from '../formats/bounded-list.js';
import { type Counts, percentage } from '../formats/coverage.js';

/** Returns a name without case and separators: `timed_out`, `timedOut` and `TIMED-OUT` are one. */
export const normalizeName = (name: string): string => name.replaceAll(/[\s_.-]+/g, '').toLowerCase();

export function toMembers(path: string, value: unknown): Members {
  if (!isMembers(value)) throw valueRefused(path, 'an object');
  return value;
}

export function toCount(path: string, value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > MAX_COUNT) {
    throw valueRefused(path, 'a whole number from 0 to 1,000,000,000');
  }
  return value;
}

/** Returns null for a missing value and for null. */
export function toPercent(path: string, value: unknown): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'number' || !(value >= 0 && value <= 100)) throw valueRefused(path, 'a number from 0 to 100');
  return value;
}

type Unit = 'line' | 'branch';
type Measure = 'covered' | 'missed' | 'total' | 'percent' | 'rate';

const NAME_LENGTH = 100;
const UNIT = /lines?|branch(?:es)?/;
/** The abbreviations of LCOV. */
const ABBREVIATIONS: ReadonlyMap<string, string> = new Map([
  ['lh', 'lineshit'],
  ['lf', 'linesfound'],
  ['brh', 'brancheshit'],
  ['brf', 'branchesfound'],
]);
/** The words for a measure, without case, separators and unit. */
const MEASURES = [
  ['covered', /^(?:total|num(?:ber)?(?:of)?)?(?:covered|hits?|executed)(?:count|total)?$/],
  [
    'missed',
    /^(?:total|num(?:ber)?(?:of)?)?(?:miss(?:ed|es|ing)?|un(?:covered|hit|executed)|not(?:covered|hit|executed))(?:count|total)?$/,
  ],
  ['total', /^(?:total|found|valid|executable|coverable|relevant|instrumented)$/],
  ['percent', /^(?:covered|coverage)?(?:percent(?:age)?|pct)(?:covered|coverage)?$/],
  ['rate', /^(?:covered|coverage|hit)?(?:rate|ratio)$|^coverage$/],
] as const satisfies readonly (readonly [Measure, RegExp])[];
/** Further words for a total, which need the unit. The number of lines is often only called `lines`. */
const TOTAL_OF_UNIT = /^(?:total)?(?:num(?:ber)?(?:of)?|count|all)?(?:total)?$/;
/** The objects with the numbers of the whole report. */
const SUMMARY = /^(?:totals?|summary|overall|coverage)$/;

/** The counts that one object states about a unit. Of two names for one count the worse counts. */
interface StatedCounts {
  covered?: number;
  missed?: number;
  total?: number;
}

/** What the members of `metrics.coverage` state about each unit in percent. */
interface StatedPercentages {
  readonly line: readonly number[];
  readonly branch: readonly number[];
  /** Counts that state no percentage, as sentences. */
  readonly flags: readonly string[];
}

/**
 * Reads the percentages, rates and counts of lines and branches by the names that tools give them: `line_rate`,
 * `lines: {covered, total, pct}`, `missed_lines` and `total_lines`. Throws `unprocessable` for a value that is not possible.
 */
export function readStatedPercentages(members: Members, path: string): StatedPercentages {
  const reader = new PercentageReader();
  reader.object(members, path, 'line');
  return reader;
}

class PercentageReader implements StatedPercentages {
  readonly line: number[] = [];
  readonly branch: number[] = [];
  readonly flags: string[] = [];

  /** Reads the members of an object. Names without a unit count for the unit of the object. */
  object(members: Members, path: string, ofObject: Unit): void {
    const counts: Record<Unit, StatedCounts> = { line: {}, branch: {} };
    for (const [name, value] of Object.entries(members)) {
      const at = `${path}.${excerpt(name, NAME_LENGTH)}`;
      const { unit, rest } = parseName(name);
      if (isMembers(value)) {
        if (rest === '' || SUMMARY.test(rest)) this.object(value, at, unit ?? ofObject);
        continue;
      }
      // The name of a unit alone may also be that of a list, or of a branch in Git.
      if (rest === '' && typeof value !== 'number') continue;
      const measure = toMeasure(rest, unit !== null);
      if (measure !== null) this.number(measure, toNumber(value), at, unit ?? ofObject, counts);
    }
    for (const unit of ['line', 'branch'] as const) this.counts(counts[unit], path, unit);
  }

  private number(measure: Measure, value: unknown, path: string, unit: Unit, counts: Record<Unit, StatedCounts>): void {
    if (value === null || typeof value === 'boolean') return;
    if (measure === 'percent' || measure === 'rate') {
      const percent = toPercent(path, value) ?? 0;
      // A rate is a share of 1. The rounding compensates for the error of the product, for example of 0.29 and 100.
      this[unit].push(measure === 'rate' && percent <= 1 ? Math.round(percent * 1e8) / 1e6 : percent);
      return;
    }
    const count = toCount(path, value);
    const known = counts[unit][measure] ?? count;
    counts[unit][measure] = measure === 'covered' ? Math.min(known, count) : Math.max(known, count);
  }

  /** Adds the percentage by each two counts. A total of 0 is 0 percent, because nothing was measured. */
  private counts({ covered, missed, total }: StatedCounts, path: string, unit: Unit): void {
    if (total !== undefined && Math.max(covered ?? 0, missed ?? 0) > total) {
      throw valueRefused(`${path}: covered and missed ${unit} counts`, 'at most their total');
    }
    const readings: Counts[] = [];
    if (total === 0 || covered === 0) readings.push({ covered: 0, total: 0 });
    if (covered !== undefined && total !== undefined) readings.push({ covered, total });
    if (missed !== undefined && total !== undefined) readings.push({ covered: total - missed, total });
    if (covered !== undefined && missed !== undefined) readings.push({ covered, total: covered + missed });
    this[unit].push(...readings.map((reading) => percentage(reading) ?? 0));
    if (readings.length === 0 && Math.max(covered ?? 0, missed ?? 0) > 0) {
      this.flags.push(`${path}: ${unit} counts without their total are not counted.`);
    }
  }
}

/** Returns the unit in a name and the name without it. */
function parseName(name: string): { readonly unit: Unit | null; readonly rest: string } {
  const short = normalizeName(name.slice(0, NAME_LENGTH));
  const normalized = ABBREVIATIONS.get(short) ?? short;
  const found = UNIT.exec(normalized)?.[0];
  if (found === undefined) return { unit: null, rest: normalized };
  return { unit: found.startsWith('line') ? 'line' : 'branch', rest: normalized.replace(found, '') };
}

function toMeasure(rest: string, hasUnit: boolean): Measure | null {
  const measure = MEASURES.find(([, names]) => names.test(rest))?.[0];
  return measure ?? (hasUnit && TOTAL_OF_UNIT.test(rest) ? 'total' : null);
}

/** Returns the number of entries of a list, such as that of all missed lines. */
const toNumber = (value: unknown): unknown => (Array.isArray(value) ? value.length : value);
