import { excerpt } from './bounded-list.js';
import type { ParsedContent, ReportDetail, ReportLimits } from './report-format.js';

const PATH_LENGTH = 300;

export interface Counts {
  readonly covered: number;
  readonly total: number;
}

export interface FileCoverage {
  readonly path: string;
  readonly lines: Counts;
  readonly branches: Counts;
}

/** The totals that a report states. */
export interface StatedCoverage {
  lines?: Counts;
  branches?: Counts;
}

interface CoverageRemarks {
  readonly notes?: readonly string[];
  /** Adds a note if they differ from the counted ones. */
  readonly stated?: StatedCoverage;
  /** The unit that the report counts. Go counts statements. */
  readonly unit?: 'lines' | 'statements';
}

/**
 * Computes the coverage of a report from the counts of its files. A report without a measured line fails, regardless of its
 * stated totals. The details begin with the files with the most uncovered lines.
 */
export function buildCoverageResult(
  files: Iterable<FileCoverage>,
  limits: ReportLimits,
  { notes = [], stated = {}, unit = 'lines' }: CoverageRemarks = {},
): ParsedContent {
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
        line_percent: percentage(lines),
        branch_percent: percentage(branches),
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
    details: leastCovered.files.map((file) => toDetail(file, unit)),
  };
}

/** Returns the percentage, rounded down to hundredths, so that 79.999 never counts as 80. */
export function percentage({ covered, total }: Counts): number | null {
  return total === 0 ? null : Math.floor((covered * 10_000) / total) / 100;
}

function addTo(sum: { covered: number; total: number }, { covered, total }: Counts): void {
  sum.covered += covered;
  sum.total += total;
}

function disagreement(what: string, stated: Counts | undefined, counted: Counts): readonly string[] {
  if (!stated || (stated.covered === counted.covered && stated.total === counted.total)) return [];
  return [`${formatCounts(stated)} ${what} stated, ${formatCounts(counted)} counted`];
}

const formatCounts = ({ covered, total }: Counts): string => `${covered} of ${total}`;

const missing = ({ lines }: FileCoverage): number => lines.total - lines.covered;

/** Selects the files with the most uncovered lines. Its memory does not grow with the number of files. */
class LeastCovered {
  private candidates: FileCoverage[] = [];

  constructor(private readonly capacity: number) {}

  add(file: FileCoverage): void {
    if (missing(file) === 0) return;
    this.candidates.push(file);
    if (this.candidates.length >= 2 * this.capacity) this.candidates = [...this.files];
  }

  get files(): readonly FileCoverage[] {
    return this.candidates.toSorted((a, b) => missing(b) - missing(a)).slice(0, this.capacity);
  }
}

const toDetail = (file: FileCoverage, unit: string): ReportDetail => ({
  title: excerpt(file.path, PATH_LENGTH),
  location: null,
  message: `${missing(file)} of ${file.lines.total} ${unit} not covered`,
});

/** The coverage of one line, or of the file as a whole. One object for both, because a report may have very many of them. */
interface LineCoverage {
  /** Whether a run reached the line; null if only its branches are known. */
  hit: boolean | null;
  covered: number;
  total: number;
}

/**
 * One source file of a report that counts branches per line. A line that is listed several times, for example by several
 * classes, counts once. It is covered if one of the entries is.
 */
export class CoveredFile {
  /** Created when it is needed, because a report may have very many files without a line. */
  private lines: Map<number, LineCoverage> | null = null;

  constructor(readonly path: string) {}

  hitLine(line: number, hit: boolean): void {
    const place = this.at(line);
    place.hit = hit || place.hit === true;
  }

  /** Adds branches of a line. Line 0 has the branches that a report counts for the whole file. */
  addBranches(line: number, { covered, total }: Counts): void {
    const known = this.at(line);
    known.covered = Math.max(known.covered, covered);
    known.total = Math.max(known.total, total);
  }

  add(other: CoveredFile): void {
    for (const [line, { hit, covered, total }] of other.lines ?? []) {
      if (hit !== null) this.hitLine(line, hit);
      this.addBranches(line, { covered, total });
    }
  }

  /** Whether nothing was added. */
  get isEmpty(): boolean {
    return this.lines === null;
  }

  coverage(): FileCoverage {
    const lines = { covered: 0, total: 0 };
    const branches = { covered: 0, total: 0 };
    for (const { hit, covered, total } of this.lines?.values() ?? []) {
      if (hit !== null) lines.total += 1;
      if (hit === true) lines.covered += 1;
      branches.covered += covered;
      branches.total += total;
    }
    return { path: this.path, lines, branches };
  }

  private at(line: number): LineCoverage {
    this.lines ??= new Map();
    const known = this.lines.get(line);
    if (known !== undefined) return known;
    const place = { hit: null, covered: 0, total: 0 };
    this.lines.set(line, place);
    return place;
  }
}

/**
 * The files of a report, each once. Modules and packages are nested groups instead of path prefixes, so that the name of a
 * module is processed once and not for each file in it.
 */
export class CoveredFiles {
  private readonly files = new Map<string, CoveredFile>();
  private readonly groups = new Map<string, CoveredFiles>();

  constructor(private readonly path = '') {}

  /** Returns the group of a module or package. Files of the same name in other groups are different files. */
  within(name: string): CoveredFiles {
    const group = this.groups.get(name) ?? new CoveredFiles(`${this.path}${name}/`);
    this.groups.set(name, group);
    return group;
  }

  /** Returns the file of this name. Names with slashes and backslashes are equal. */
  at(name: string): CoveredFile {
    const key = name.replaceAll('\\', '/');
    const file = this.files.get(key) ?? new CoveredFile(this.path + key);
    this.files.set(key, file);
    return file;
  }

  *coverage(): Generator<FileCoverage> {
    const groups: CoveredFiles[] = [this];
    // Not recursive, because nested generators would pass each file through every level.
    for (const group of groups) {
      for (const file of group.files.values()) yield file.coverage();
      for (const inner of group.groups.values()) groups.push(inner);
    }
  }
}
