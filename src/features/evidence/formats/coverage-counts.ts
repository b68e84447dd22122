import { excerpt } from './excerpt.js';
import type { Reading, ReportDetail, ReportLimits } from './report-format.js';

const PATH_LENGTH = 300;

export interface Counts {
  readonly covered: number;
  readonly total: number;
}

/** What is measured of one source file. */
export interface FileCoverage {
  readonly path: string;
  readonly lines: Counts;
  readonly branches: Counts;
}

/** The totals that a report states of itself, as far as it does. */
export interface StatedCoverage {
  lines?: Counts;
  branches?: Counts;
}

interface CoverageRemarks {
  readonly notes?: readonly string[];
  /** Noted where what was counted is something else. */
  readonly stated?: StatedCoverage;
  /** What the report counts as lines: Go counts statements. */
  readonly unit?: 'lines' | 'statements';
}

/**
 * What the files of a report come to: shares are computed from the counts, and whatever a report states of itself, it is
 * no coverage where it measured not a single line. The files with the most uncovered lines are shown first.
 */
export function coverageReading(
  files: Iterable<FileCoverage>,
  limits: ReportLimits,
  { notes = [], stated = {}, unit = 'lines' }: CoverageRemarks = {},
): Reading {
  const lines = { covered: 0, total: 0 };
  const branches = { covered: 0, total: 0 };
  const leastCovered = new LeastCovered(limits.details);
  for (const file of files) {
    addTo(lines, file.lines);
    addTo(branches, file.branches);
    leastCovered.add(file);
  }
  return {
    measure: {
      of: 'coverage',
      value: {
        line_percent: percentOf(lines),
        branch_percent: percentOf(branches),
        ...(lines.total > 0 && { lines }),
        ...(branches.total > 0 && { branches }),
      },
    },
    failures: lines.total === 0 ? [`no ${unit}`] : [],
    notes: [
      ...notes,
      ...disagreement(unit, stated.lines, lines),
      ...disagreement('branches', stated.branches, branches),
    ],
    details: leastCovered.files.map((file) => detailOf(file, unit)),
  };
}

/** Rounded down to hundredths, so that 79.999 is never shown, or judged, as 80. */
export function percentOf({ covered, total }: Counts): number | null {
  return total === 0 ? null : Math.floor((covered * 10_000) / total) / 100;
}

function addTo(sum: { covered: number; total: number }, { covered, total }: Counts): void {
  sum.covered += covered;
  sum.total += total;
}

function disagreement(what: string, stated: Counts | undefined, counted: Counts): readonly string[] {
  if (!stated || (stated.covered === counted.covered && stated.total === counted.total)) return [];
  return [`${shown(stated)} ${what} stated, ${shown(counted)} counted`];
}

const shown = ({ covered, total }: Counts): string => `${covered} of ${total}`;

const missing = ({ lines }: FileCoverage): number => lines.total - lines.covered;

/** Keeps as many files as are shown, however many there are: those with the most uncovered lines, the first of equals. */
class LeastCovered {
  private kept: FileCoverage[] = [];

  constructor(private readonly capacity: number) {}

  add(file: FileCoverage): void {
    if (missing(file) === 0) return;
    this.kept.push(file);
    if (this.kept.length >= 2 * this.capacity) this.kept = [...this.files];
  }

  get files(): readonly FileCoverage[] {
    return this.kept.toSorted((a, b) => missing(b) - missing(a)).slice(0, this.capacity);
  }
}

const detailOf = (file: FileCoverage, unit: string): ReportDetail => ({
  title: excerpt(file.path, PATH_LENGTH),
  location: null,
  message: `${missing(file)} of ${file.lines.total} ${unit} not covered`,
});
