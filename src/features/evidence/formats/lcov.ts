import { excerpt } from './bounded-list.js';
import { CoverageEntry } from './coverage-entry.js';
import { CoverageReport } from './coverage-report.js';
import type { ParsedContent, ReportFormat, ReportLimits } from './report-format.js';
import { ReportError, type ReportText } from './report-text.js';

const PATH_LENGTH = 300;
const UNITS = {
  lines: { counted: 'lines', rate: 'line', names: { covered: 'LH', total: 'LF' } },
  branches: { counted: 'branches', rate: 'branch', names: { covered: 'BRH', total: 'BRF' } },
};
const COMMENT_OR_SPACE = /\s+|#[^\n]*/y;
const COUNT = /^\d+$/;
const FUNCTION = /^\d+,(?:\d+,)?(.+)$/;

/**
 * LCOV tracefiles (`man geninfo`, § FILES) of lcov, Istanbul, node:test, grcov and other tools. A record is an
 * entry of its source file (`SF`) with lines (`DA`), branches (`BRDA`), functions and totals (`LF`, `LH`, `BRF`, `BRH`).
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
  private readonly coverage: CoverageReport;
  private lineNumber = 0;
  /** The record between `SF` and `end_of_record`. */
  private current: { readonly path: string; readonly entry: CoverageEntry } | null = null;

  constructor(
    private readonly report: ReportText,
    limits: ReportLimits,
  ) {
    this.coverage = new CoverageReport(limits, '', UNITS);
  }

  read(): ParsedContent {
    for (const [number, line] of this.report.lines()) {
      this.lineNumber = number;
      this.line(line);
    }
    if (this.current !== null) throw this.error(`the record of ${this.current.path} has no end_of_record`);
    return this.coverage.result();
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
        this.requireEntry(key).state('lines', { total: this.count(value) });
        return;
      case 'LH':
        this.requireEntry(key).state('lines', { covered: this.count(value) });
        return;
      case 'BRF':
        this.requireEntry(key).state('branches', { total: this.count(value) });
        return;
      case 'BRH':
        this.requireEntry(key).state('branches', { covered: this.count(value) });
        return;
      case 'FNF':
      case 'FNH':
        this.count(value);
        return;
      case 'FN':
      case 'FNA':
        this.addFunction(key, value);
        return;
      case 'FNDA':
        this.count(value.slice(0, Math.max(value.indexOf(','), 0)));
        this.addFunction(key, value);
        return;
      default:
        // Names of tests, versions and conditions are not needed, and newer tools add keys.
        if (!/^[A-Z]{2,6}$/.test(key)) throw this.error('not an entry of a tracefile');
    }
  }

  private beginRecord(value: string): void {
    if (this.current !== null) throw this.error(`the record of ${this.current.path} has no end_of_record`);
    if (value === '') throw this.error('a source file without a path');
    this.current = { path: value, entry: new CoverageEntry(true) };
  }

  private endRecord(): void {
    const entry = this.requireEntry('end_of_record');
    this.coverage.root.addEntry(entry, this.current?.path ?? '');
    this.current = null;
  }

  private hitLine(value: string): void {
    const [line = '', hits = ''] = value.split(',', 2);
    this.requireEntry('DA').addLine(this.count(line), this.count(hits) > 0);
  }

  private addBranch(value: string): void {
    const taken = value.lastIndexOf(',');
    const branch = value.slice(0, Math.max(taken, 0));
    if (!/^\d+,[^,]+,./.test(branch)) throw this.error('a branch must have a line, a block, a branch and a count');
    this.count(value.slice(0, value.indexOf(',')));
    const times = value.slice(taken + 1);
    // A dash means that the line of the branch did not run.
    const isTaken = times !== '-' && this.count(times) > 0;
    this.requireEntry('BRDA').addBranches(branch, { covered: isTaken ? 1 : 0, total: 1 });
  }

  /** Adds the name of a function, which follows one or two numbers: its lines, or its index and how often it ran. */
  private addFunction(key: string, value: string): void {
    const name = FUNCTION.exec(value)?.[1];
    if (name !== undefined) this.requireEntry(key).addFunction(name);
  }

  private requireEntry(key: string): CoverageEntry {
    if (this.current === null) throw this.error(`${key} outside of a record`);
    return this.current.entry;
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
}
