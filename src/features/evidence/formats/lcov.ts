import { formatOverflow, excerpt, createMessageList } from './bounded-list.js';
import { buildCoverageResult, type FileCoverage } from './coverage.js';
import type { ParsedContent, ReportFormat, ReportLimits } from './report-format.js';
import { ReportError, type ReportText } from './report-text.js';

/** The totals by LCOV's names: lines found and hit, branches found and hit. */
interface LcovTotals {
  LF: number;
  LH: number;
  BRF: number;
  BRH: number;
}

/** The lines and branches of one source file, and whether a run reached them. */
class LcovFile {
  /** Created when they are needed, because a tracefile may have very many records. */
  private lines: Map<number, boolean> | null = null;
  private branches: Map<string, boolean> | null = null;

  constructor(readonly path: string) {}

  hitLine(line: number, hit: boolean): void {
    this.lines ??= new Map();
    this.lines.set(line, hit || this.lines.get(line) === true);
  }

  addBranch(branch: string, taken: boolean): void {
    this.branches ??= new Map();
    this.branches.set(branch, taken || this.branches.get(branch) === true);
  }

  add(other: LcovFile): void {
    for (const [line, hit] of other.lines ?? []) this.hitLine(line, hit);
    for (const [branch, taken] of other.branches ?? []) this.addBranch(branch, taken);
  }

  totals(): LcovTotals {
    const { lines, branches } = this;
    return {
      LF: lines?.size ?? 0,
      LH: lines === null ? 0 : reached(lines),
      BRF: branches?.size ?? 0,
      BRH: branches === null ? 0 : reached(branches),
    };
  }

  coverage(): FileCoverage {
    const { LF, LH, BRF, BRH } = this.totals();
    return { path: this.path, lines: { covered: LH, total: LF }, branches: { covered: BRH, total: BRF } };
  }
}

function reached(entries: ReadonlyMap<unknown, boolean>): number {
  let count = 0;
  for (const hit of entries.values()) if (hit) count += 1;
  return count;
}

const PATH_LENGTH = 300;
const COMMENT_OR_SPACE = /\s+|#[^\n]*/y;
const COUNT = /^\d+$/;

/**
 * LCOV tracefiles (`man geninfo`, § FILES) of lcov, Istanbul, node:test, grcov and other tools. The lines (`DA`) and branches
 * (`BRDA`) count, not the totals (`LF`, `LH`, `BRF`, `BRH`). Records of one source file are combined.
 */
export const lcov: ReportFormat = {
  name: 'lcov',
  title: 'an LCOV tracefile',
  defaultKind: 'coverage',

  detect({ text }) {
    let at = 0;
    for (COMMENT_OR_SPACE.lastIndex = 0; COMMENT_OR_SPACE.test(text); at = COMMENT_OR_SPACE.lastIndex);
    return text.startsWith('TN:', at) || text.startsWith('SF:', at);
  },

  read: (report: ReportText, limits: ReportLimits): ParsedContent => new LcovReader(report, limits).read(),
};

class LcovReader {
  private readonly files = new Map<string, LcovFile>();
  private readonly notes = createMessageList();
  private lineNumber = 0;
  /** The record between `SF` and `end_of_record`. */
  private current: { readonly record: LcovFile; readonly stated: Partial<LcovTotals> } | null = null;

  constructor(
    private readonly report: ReportText,
    private readonly limits: ReportLimits,
  ) {}

  read(): ParsedContent {
    for (const [number, line] of this.report.lines()) {
      this.lineNumber = number;
      this.line(line);
    }
    if (this.current !== null) throw this.error(`the record of ${this.current.record.path} has no end_of_record`);
    return buildCoverageResult(this.coverage(), this.limits, { notes: this.notes.withRest(formatOverflow) });
  }

  private line(line: string): void {
    if (line === '' || line.startsWith('#')) return;
    if (line === 'end_of_record') {
      this.endRecord();
      return;
    }
    const colon = line.indexOf(':');
    if (colon === -1) throw this.error('a line without a colon');
    this.entry(line.slice(0, colon), line.slice(colon + 1));
  }

  private entry(key: string, value: string): void {
    switch (key) {
      case 'SF':
        this.beginRecord(value);
        return;
      case 'DA':
        this.hitLine(value);
        return;
      case 'BRDA':
        this.addBranch(value);
        return;
      case 'LF':
      case 'LH':
      case 'BRF':
      case 'BRH':
        this.record(key).stated[key] = this.count(value);
        return;
      case 'FNF':
      case 'FNH':
        this.count(value);
        return;
      case 'FNDA':
        this.count(value.slice(0, Math.max(value.indexOf(','), 0)));
        return;
      default:
        // Names of tests, functions, versions and conditions are not needed, and newer tools add keys.
        if (!/^[A-Z]{2,6}$/.test(key)) throw this.error('not an entry of a tracefile');
    }
  }

  private beginRecord(value: string): void {
    if (this.current !== null) throw this.error(`the record of ${this.current.record.path} has no end_of_record`);
    // Names with slashes and backslashes are equal.
    const path = value.replaceAll('\\', '/');
    if (path === '') throw this.error('a source file without a path');
    this.current = { record: new LcovFile(path), stated: {} };
  }

  private endRecord(): void {
    const { record, stated } = this.record('end_of_record');
    const counted = record.totals();
    for (const key of ['LF', 'LH', 'BRF', 'BRH'] as const) {
      const total = stated[key];
      if (total !== undefined && total !== counted[key]) {
        this.notes.add(`${excerpt(record.path, PATH_LENGTH)}: ${key} ${total} stated, ${counted[key]} counted`);
      }
    }
    const known = this.files.get(record.path);
    if (known === undefined) this.files.set(record.path, record);
    else known.add(record);
    this.current = null;
  }

  private hitLine(value: string): void {
    const [line = '', hits = ''] = value.split(',', 2);
    this.record('DA').record.hitLine(this.count(line), this.count(hits) > 0);
  }

  private addBranch(value: string): void {
    const taken = value.lastIndexOf(',');
    const branch = value.slice(0, Math.max(taken, 0));
    if (!/^\d+,[^,]+,./.test(branch)) throw this.error('a branch must have a line, a block, a branch and a count');
    this.count(value.slice(0, value.indexOf(',')));
    const times = value.slice(taken + 1);
    // A dash means that the line of the branch did not run.
    this.record('BRDA').record.addBranch(branch, times !== '-' && this.count(times) > 0);
  }

  private record(key: string): NonNullable<typeof this.current> {
    if (this.current === null) throw this.error(`${key} outside of a record`);
    return this.current;
  }

  private count(digits: string): number {
    const count = Number(digits);
    if (!COUNT.test(digits)) throw this.error('a count is expected');
    if (!Number.isSafeInteger(count)) throw this.error('a count beyond 2^53');
    return count;
  }

  private error(reason: string): ReportError {
    return new ReportError(this.report.file, this.lineNumber, null, excerpt(reason, PATH_LENGTH));
  }

  private *coverage(): Generator<FileCoverage> {
    for (const file of this.files.values()) yield file.coverage();
  }
}
