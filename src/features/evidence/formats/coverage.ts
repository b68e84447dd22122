import { excerpt } from './bounded-list.js';
import type { ParsedContent, ReportDetail, ReportLimits } from './report-format.js';

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
    details: leastCovered.files.map((file) => detailOf(file, unit)),
  };
}

/** Rounded down to hundredths, so that 79.999 is never shown, or judged, as 80. */
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

/** Keeps as many files as are shown, however many there are: those with the most uncovered lines, the first of equals. */
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

const detailOf = (file: FileCoverage, unit: string): ReportDetail => ({
  title: excerpt(file.path, PATH_LENGTH),
  location: null,
  message: `${missing(file)} of ${file.lines.total} ${unit} not covered`,
});

/** What is known of one line, or of the file as a whole: both in one, because a report may have very many of them. */
interface Place {
  /** Whether any run reached it; null where only branches are known of it. */
  hit: boolean | null;
  covered: number;
  total: number;
}

/**
 * One source file of a report that counts branches by place: what is said of a line several times, in classes, methods
 * or modules that share it, is one line, reached where any of them was.
 */
export class CoveredFile {
  /** Made when it is needed: a report may name very many files without a line. */
  private places: Map<number, Place> | null = null;

  constructor(readonly path: string) {}

  hitLine(line: number, hit: boolean): void {
    const place = this.at(line);
    place.hit = hit || place.hit === true;
  }

  /** `place` is the line of the branches, or 0 where a report counts them for the file as a whole. */
  takeBranches(place: number, { covered, total }: Counts): void {
    const known = this.at(place);
    known.covered = Math.max(known.covered, covered);
    known.total = Math.max(known.total, total);
  }

  add(other: CoveredFile): void {
    for (const [line, { hit, covered, total }] of other.places ?? []) {
      if (hit !== null) this.hitLine(line, hit);
      this.takeBranches(line, { covered, total });
    }
  }

  /** Whether anything was said of it at all. */
  get isEmpty(): boolean {
    return this.places === null;
  }

  coverage(): FileCoverage {
    const lines = { covered: 0, total: 0 };
    const branches = { covered: 0, total: 0 };
    for (const { hit, covered, total } of this.places?.values() ?? []) {
      if (hit !== null) lines.total += 1;
      if (hit === true) lines.covered += 1;
      branches.covered += covered;
      branches.total += total;
    }
    return { path: this.path, lines, branches };
  }

  private at(line: number): Place {
    this.places ??= new Map();
    const known = this.places.get(line);
    if (known !== undefined) return known;
    const place = { hit: null, covered: 0, total: 0 };
    this.places.set(line, place);
    return place;
  }
}

/**
 * The files of a report, each once. Modules and packages are rooms of their own rather than the beginnings of paths, so
 * that a name is looked at as often as it is written, and not once for each file under it.
 */
export class CoveredFiles {
  private readonly files = new Map<string, CoveredFile>();
  private readonly rooms = new Map<string, CoveredFiles>();

  constructor(private readonly path = '') {}

  /** The files of a module or package: one of the same name elsewhere is another file. */
  within(name: string): CoveredFiles {
    const room = this.rooms.get(name) ?? new CoveredFiles(`${this.path}${name}/`);
    this.rooms.set(name, room);
    return room;
  }

  /** The same file from a Windows runner and a Linux one is one file. */
  at(name: string): CoveredFile {
    const key = name.replaceAll('\\', '/');
    const file = this.files.get(key) ?? new CoveredFile(this.path + key);
    this.files.set(key, file);
    return file;
  }

  *coverage(): Generator<FileCoverage> {
    const rooms: CoveredFiles[] = [this];
    // Not by recursion: a file would be handed up through every room around it.
    for (const room of rooms) {
      for (const file of room.files.values()) yield file.coverage();
      for (const inner of room.rooms.values()) rooms.push(inner);
    }
  }
}
