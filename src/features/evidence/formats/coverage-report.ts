import { createMessageList, excerpt, formatOverflow } from './bounded-list.js';
import {
  type Counts,
  findLowest,
  NO_COUNTS,
  readStated,
  type StatedRate,
  type StatedTotals,
  type Units,
  worseTotals,
} from './coverage.js';
import { type CoverageEntry, type CoveredBranches, type CoveredLines, digest } from './coverage-entry.js';
import {
  addReadings,
  type CoveragePart,
  type Readings,
  sumReadings,
  toReadings,
  uniteParts,
} from './coverage-parts.js';
import { BRANCHES, CoveredFiles, LINES, type CoverageMeasure } from './covered-files.js';
import { LeastCovered } from './least-covered.js';
import type { ParsedContent, ReportLimits } from './report-format.js';
import { toCoverageMetrics } from './united-coverage.js';

const LABEL_LENGTH = 300;

type Subject = 'lines' | 'branches';

/** One entry of a file. */
interface FileEntry {
  /** Null if it cannot be united with other entries. */
  key: string | null;
  readonly lines: CoveredLines | null;
  readonly branches: CoveredBranches | null;
  readonly stated: Readonly<Record<Subject, Counts | null>>;
}

/** A module or package of a report, or the whole report, with its files and the totals that it states. */
export class CoverageGroup {
  readonly entries: FileEntry[] = [];
  readonly groups: CoverageGroup[] = [];
  readonly totals: Record<Subject, StatedTotals | null> = { lines: null, branches: null };

  /** Groups of the same names have the same identity. The path is the beginning of the paths of its files. */
  constructor(
    private readonly report: CoverageReport,
    readonly name: string,
    readonly path: string,
    private readonly identity: string,
  ) {}

  addGroup(name: string, path = `${this.path}${name}/`): CoverageGroup {
    // No more than is shown, because each of many files would copy the names of all its groups.
    const prefix = path.slice(0, LABEL_LENGTH + 1);
    const group = new CoverageGroup(this.report, name, prefix, digest(this.identity, name));
    this.groups.push(group);
    return group;
  }

  /** Ends an entry of a file. Names with slashes and backslashes are equal. The path before the name is for display. */
  addEntry(entry: CoverageEntry, name: string, path = this.path): void {
    const file = name.replaceAll('\\', '/');
    this.entries.push(this.report.toFileEntry(entry, path + file, [this.identity, file]));
  }

  state(of: Subject, totals: StatedTotals): void {
    this.totals[of] = worseTotals(this.totals[of], totals);
  }
}

/** The parts of a report, and whether the rates of its groups count. */
interface Collected<T> {
  readonly parts: CoveragePart<T>[];
  readonly usesRates: boolean;
}

/** How the lines or the branches of a report are read. */
interface Reading<T> {
  readonly of: Subject;
  readonly measure: CoverageMeasure<T>;
  readonly toPart: (entry: FileEntry, units: Units) => CoveragePart<T>;
}

const OF_LINES: Reading<CoveredLines> = {
  of: 'lines',
  measure: LINES,
  toPart: ({ key, lines, stated }) => ({ key, listed: lines, stated: stated.lines, countsTotals: true }),
};
const OF_BRANCHES: Reading<CoveredBranches> = {
  of: 'branches',
  measure: BRANCHES,
  // Clover states the branches of a file and lists none.
  toPart: ({ key, branches, stated }, units) => ({
    key,
    listed: branches,
    stated: stated.branches,
    countsTotals: units.stated !== undefined,
  }),
};

const UNITS: Readonly<Record<Subject, Units>> = {
  lines: { counted: 'lines', rate: 'line' },
  branches: { counted: 'branches', rate: 'branch' },
};

/**
 * The coverage of one report. Two entries of one file with the same lines and functions are united; all others are
 * different files. Of the listed lines and the stated totals the lower share counts: for each file, each group and the
 * whole report. The totals of a file without lines count. A report without such a file or a line fails.
 */
export class CoverageReport {
  readonly root = new CoverageGroup(this, '', '', '');
  private readonly notes = createMessageList();
  private readonly leastCovered: LeastCovered;
  private readonly units: Readonly<Record<Subject, Units>>;
  private readonly directories = new Set<string>();

  /** The name of the report is a part of the identity of its files. */
  constructor(
    limits: ReportLimits,
    private readonly name = '',
    units: Partial<Record<Subject, Units>> = {},
  ) {
    this.leastCovered = new LeastCovered(limits.details);
    this.units = { ...UNITS, ...units };
  }

  /**
   * Adds a directory of the source code. The directories are a part of the identity of each file. If there are several, no
   * two entries are united, because they may be of files in different directories.
   */
  addDirectory(path: string): void {
    this.directories.add(path);
  }

  addNote(label: string, note: string): void {
    this.notes.add(label === '' ? note : `${excerpt(label, LABEL_LENGTH)}: ${note}`);
  }

  toFileEntry(entry: CoverageEntry, path: string, identity: readonly [string, string]): FileEntry {
    const { key, lines, branches, notes } = entry.close(identity);
    for (const note of notes) this.addNote(path, note);
    const stated = {
      lines: this.readTotals(entry.totals.lines, lines ? LINES.count(lines) : NO_COUNTS, 'lines', path),
      branches: this.readTotals(
        entry.totals.branches,
        branches ? BRANCHES.count(branches) : NO_COUNTS,
        'branches',
        branches === null && this.units.branches.stated !== undefined ? null : path,
      ),
    };
    const { counted, lower } = toReadings(OF_LINES.toPart({ key, lines, branches, stated }, this.units.lines), LINES);
    this.leastCovered.add(path, lower);
    // Which lines lower totals count is not known, so they cannot be united with others.
    return { key: lower === counted ? key : null, lines, branches, stated };
  }

  result(): ParsedContent {
    this.completeKeys();
    const lines = this.read(OF_LINES);
    const branches = this.read(OF_BRANCHES);
    return {
      measure: { of: 'coverage', value: toCoverageMetrics(lines?.count(), branches?.count()) },
      coverage: { lines, branches },
      failures: lines === null ? [`no ${this.units.lines.counted}`] : [],
      notes: this.notes.withRest(formatOverflow),
      details: this.leastCovered.toDetails(this.units.lines.counted),
    };
  }

  /** Returns the files with their hits, or the totals of the report if they are lower. Null if no file has a line. */
  private read<T>(reading: Reading<T>): CoveredFiles<T> | null {
    const { of, measure } = reading;
    const parts: CoveragePart<T>[] = [];
    this.collect(this.root, reading, { parts, usesRates: !this.explainsRates(reading) });
    const united = uniteParts(parts, measure);
    const { counted, stated, lower } = sumReadings(united, measure);
    const isEmpty = counted.total === 0;
    const header = this.readTotals(this.root.totals[of], isEmpty ? counted : lower, of, '');
    if (isEmpty) return null;
    const files = new CoveredFiles(measure);
    const worst = findLowest(lower, counted, stated, header ?? NO_COUNTS);
    if (worst === lower) for (const part of united) addPart(files, part, measure);
    else files.addCounts(worst);
    return files;
  }

  /** Adds the parts of the group to the list, or its stated totals if they are lower. Returns their readings. */
  private collect<T>(group: CoverageGroup, reading: Reading<T>, into: Collected<T>): Readings {
    const { of, measure } = reading;
    const { parts, usesRates } = into;
    const start = parts.length;
    const own = uniteParts(this.toParts(group, reading), measure);
    for (const part of own) parts.push(part);
    let readings = sumReadings(own, measure);
    for (const inner of group.groups) readings = addReadings(readings, this.collect(inner, reading, into));
    if (group === this.root) return readings;
    // A group without files states what its report states again.
    const label = readings.lower.total > 0 ? group.name : null;
    const { rate, ...counts } = group.totals[of] ?? {};
    const stated = this.readTotals({ ...counts, ...(usesRates && rate && { rate }) }, readings.lower, of, label);
    if (stated === null || findLowest(readings.lower, stated) !== stated) return readings;
    parts.length = start;
    parts.push({ key: null, listed: null, stated, countsTotals: true, replaced: readings });
    return { ...readings, lower: stated };
  }

  /**
   * Whether the report states counts that are lower than those of its files because files were lost, and the lost files explain
   * the rates of its groups. Then these rates say less than the counts of the report.
   */
  private explainsRates<T>(reading: Reading<T>): boolean {
    const { of, measure } = reading;
    const { total, covered } = this.root.totals[of] ?? {};
    if (total === undefined || covered === undefined) return false;
    const parts: CoveragePart<T>[] = [];
    let lostByRates = 0;
    for (const group of this.allGroups()) {
      const own = [...this.toParts(group, reading)];
      for (const part of own) parts.push(part);
      if (group !== this.root) lostByRates += countLost(sumLower(own, measure), group.totals[of]?.rate);
    }
    const lower = sumLower(parts, measure);
    const { counts } = readStated({ total, covered }, lower, this.units[of]);
    if (counts === null || findLowest(lower, counts) !== counts) return false;
    return lostByRates <= counts.total - lower.total;
  }

  /** There may be more groups than a call can have arguments, so they are added one by one. */
  private *allGroups(): Generator<CoverageGroup> {
    const groups = [this.root];
    for (const group of groups) {
      for (const inner of group.groups) groups.push(inner);
      yield group;
    }
  }

  private *toParts<T>(group: CoverageGroup, { of, toPart }: Reading<T>): Generator<CoveragePart<T>> {
    for (const entry of group.entries) {
      const part = toPart(entry, this.units[of]);
      if (part.listed !== null || part.stated !== null) yield part;
    }
  }

  /** Completes the keys of the entries by the name and the directories of the report. */
  private completeKeys(): void {
    const report = digest(this.name, ...[...this.directories].sort());
    const numbers = new Map<string, number>();
    for (const group of this.allGroups()) {
      for (const entry of group.entries) {
        if (entry.key === null) continue;
        const number = (numbers.get(entry.key) ?? 0) + 1;
        if (this.directories.size > 1) numbers.set(entry.key, number);
        entry.key = digest(report, String(number), entry.key);
      }
    }
  }

  /** Returns the counts that the totals state; null if there are none. Notes contradictions, unless the label is null. */
  private readTotals(totals: StatedTotals | null, counted: Counts, of: Subject, label: string | null): Counts | null {
    if (totals === null) return null;
    const { counts, notes } = readStated(totals, counted, this.units[of]);
    if (label !== null) for (const note of notes) this.addNote(label, note);
    return counts;
  }
}

/** Returns the least number of lost lines with which the counts have the rate. Lost lines that were hit would make it higher. */
const countLost = ({ covered, total }: Counts, rate: StatedRate | undefined): number =>
  rate === undefined || total === 0 ? 0 : Math.max(0, covered / (rate.value + rate.tolerance) - total);

const sumLower = <T>(parts: readonly CoveragePart<T>[], measure: CoverageMeasure<T>): Counts =>
  sumReadings(uniteParts(parts, measure), measure).lower;

function addPart<T>(files: CoveredFiles<T>, part: CoveragePart<T>, measure: CoverageMeasure<T>): void {
  const { counted, lower } = toReadings(part, measure);
  if (part.key !== null && part.listed !== null && lower === counted) files.add(part.key, part.listed);
  else files.addCounts(lower);
}
