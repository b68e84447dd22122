import { excerpt } from './bounded-list.js';
import { CoverageEntry } from './coverage-entry.js';
import { CoverageReport } from './coverage-report.js';
import type { ParsedContent, ReportFormat, ReportLimits } from './report-format.js';
import { ReportError, type ReportText } from './report-text.js';

const MODE = /^mode: (?:set|count|atomic)[ \t\r]*(?:\n|$)/;
/** The range as line and column, the number of statements, and how often they ran. */
const BLOCK = /^(\d{1,9}\.\d{1,9},\d{1,9}\.\d{1,9}) (\d{1,9}) (\d{1,20})$/;
const LINE_LENGTH = 300;

/**
 * Coverage profiles of Go (`go test -coverprofile`, golang.org/x/tools/cover). They count statements instead of lines, like
 * `go tool cover -func`. A block that the tests of several packages report counts once.
 */
export const goCover: ReportFormat = {
  name: 'go-cover',
  title: 'a Go coverage profile',
  defaultKind: 'coverage',
  detect: ({ text }) => MODE.test(text),
  read: (report: ReportText, limits: ReportLimits): ParsedContent => new GoCoverReader(report, limits).read(),
};

const UNITS = { lines: { counted: 'statements', rate: 'statement' } };

interface Block {
  readonly statements: number;
  isCovered: boolean;
}

class GoCoverReader {
  private readonly files = new Map<string, Map<string, Block>>();
  private lineNumber = 0;

  constructor(
    private readonly report: ReportText,
    private readonly limits: ReportLimits,
  ) {}

  read(): ParsedContent {
    for (const [number, line] of this.report.lines()) {
      this.lineNumber = number;
      // The first line is the mode.
      if (number > 1) this.line(line);
    }
    const coverage = new CoverageReport(this.limits, '', UNITS);
    for (const [path, blocks] of this.files) coverage.root.addEntry(toEntry(blocks), path);
    return coverage.result();
  }

  private line(line: string): void {
    if (line === '') return;
    const colon = line.lastIndexOf(':');
    const [, range, statements, times] = BLOCK.exec(line.slice(colon + 1)) ?? [];
    if (colon <= 0 || !range || !statements || !times) {
      throw this.error(`"${line}" is not a block of a coverage profile`);
    }
    this.block(line.slice(0, colon), range, Number(statements), /[1-9]/.test(times));
  }

  private block(path: string, range: string, statements: number, isCovered: boolean): void {
    const blocks = this.files.get(path) ?? new Map<string, Block>();
    this.files.set(path, blocks);
    const known = blocks.get(range);
    if (known === undefined) blocks.set(range, { statements, isCovered });
    else if (known.statements !== statements) {
      throw this.error(`a block of ${statements} statements, listed before with ${known.statements}`);
    } else known.isCovered ||= isCovered;
  }

  private error(reason: string): ReportError {
    return new ReportError(this.report.file, this.lineNumber, null, excerpt(reason, LINE_LENGTH));
  }
}

function toEntry(blocks: ReadonlyMap<string, Block>): CoverageEntry {
  const entry = new CoverageEntry();
  for (const [range, { statements, isCovered }] of blocks) entry.addLine(range, isCovered, statements);
  return entry;
}
