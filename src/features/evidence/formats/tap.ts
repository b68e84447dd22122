import { excerpt } from './bounded-list.js';
import type { ParsedContent, ReportFormat, ReportLimits } from './report-format.js';
import type { ReportText } from './report-text.js';
import { type BlockLine, TapBlock, parseTapLine } from './tap-block.js';
import { TestCounter } from './test-counter.js';

/** The indentation of an inner block (TAP 14, "Subtests"). */
const INDENT = 4;
const REASON_LENGTH = 300;

/** The lines that `npm test` writes before the output of the script. */
const PREAMBLE = /(?:[ \t]*(?:>.*|#.*)?\r?\n)*/y;
const VERSION = /TAP version \d+[ \t]*\r?$/my;
const FIRST_LINE = /(?:1\.\.\d+|(?:not )?ok\b)/y;
/** The totals that node:test, tape, node-tap and Test::More write as comments. */
const FAILED_TOTAL =
  /^#\s*(?:fail(?:ed|ures)?|cancelled|(?:Looks like )?you failed)[:\s]\s*(\d{1,9})(?:$|\s+(?:of|tests?)\b)/i;
/** Failures as a fraction: `# FAILED 1/2`. */
const FAILED_FRACTION = /^#\s*failed(?:\s+tests?)?:?\s+(\d{1,9})\s*\/\s*\d/i;
/** The comments of Test::More and of Raku about a process that ended by itself, before or after its last test. */
const DIED = /^#\s*Looks like your test (?:died|exited with)\b/i;
/** Their comments about tests that are missing. */
const INCOMPLETE =
  /^#\s*(?:(?:Looks like )?you (?:planned|ran) \d|No tests run!|Tests were run but no plan was declared)/i;
const PLAN = /^1\.\.\d+[ \t]*(?:#.*)?\r?$/m;

/** The Test Anything Protocol, versions 12 to 14, with the subtests of TAP 14, node-tap and node:test. */
export const tap: ReportFormat = {
  name: 'tap',
  title: 'TAP',
  defaultKind: 'unit_tests',

  /** Detects the version line, or a TAP 12 start together with a plan. A start alone is not enough, because logs may begin with "ok". */
  detect({ text }): boolean {
    PREAMBLE.lastIndex = 0;
    PREAMBLE.test(text);
    const begin = PREAMBLE.lastIndex;
    VERSION.lastIndex = begin;
    FIRST_LINE.lastIndex = begin;
    return VERSION.test(text) || (FIRST_LINE.test(text) && PLAN.test(text));
  },

  read: (report: ReportText, limits: ReportLimits): ParsedContent => new TapReader(limits).read(report.text),
};

class TapReader {
  private readonly counter: TestCounter;
  /** The open blocks, outermost first. */
  private readonly blocks: TapBlock[];
  /** The indentation of the YAML that is open or may follow; null if the previous line is not a test point. */
  private yamlIndent: number | null = null;
  private isInYaml = false;
  private isOver = false;
  /** The number of failed tests that the comments of the whole run state. */
  private statedFailures = 0;
  /** The first comments of the whole run about an early end and about missing tests. */
  private died: string | null = null;
  private incomplete: string | null = null;

  constructor(limits: ReportLimits) {
    this.counter = new TestCounter(limits);
    this.blocks = [new TapBlock(this.counter)];
  }

  read(text: string): ParsedContent {
    for (let from = 0; from < text.length && !this.isOver;) {
      const newline = text.indexOf('\n', from);
      const to = newline === -1 ? text.length : newline;
      this.lines(text.slice(from, to));
      from = to + 1;
    }
    if (this.isInYaml) this.counter.fail('a YAML block does not end: the report is truncated');
    // An open block at the end means a truncated report. After a bail-out this is not reported.
    if (!this.isOver) while (this.blocks.length > 0) this.closeInnermost();
    // A wrong plan is a failure already.
    if (this.incomplete !== null && this.counter.failures.entries.length === 0) this.counter.fail(this.incomplete);
    // node:test also counts the suites of failed tests, so only a total beside no failed test is a contradiction.
    if (this.statedFailures > 0 && this.counter.failed === 0) {
      this.counter.fail(`the report states ${this.statedFailures} failures that no test has`);
    }
    if (this.died !== null) this.counter.fail(this.died);
    return this.counter.result();
  }

  /** Reads what a comment of the whole run states about it. */
  private comment(line: string): void {
    const failed = FAILED_TOTAL.exec(line) ?? FAILED_FRACTION.exec(line);
    this.statedFailures += Number(failed?.[1] ?? 0);
    if (DIED.test(line)) this.died ??= line.slice(1).trim();
    else if (INCOMPLETE.test(line)) this.incomplete ??= line.slice(1).trim();
  }

  /** A single carriage return also ends a line, so that a test point after it is not lost in the one before it. */
  private lines(text: string): void {
    for (const line of text.split('\r')) if (!this.isOver) this.line(line.trimEnd());
  }

  private line(line: string): void {
    const content = line.trimStart();
    if (content === '') return;
    const indent = line.length - content.length;
    if (this.isYaml(indent, content)) return;
    if (indent === 0 && content.startsWith('#')) this.comment(content);
    const parsed = parseTapLine(content);
    if (parsed?.of === 'bail-out') {
      this.bailOut(parsed.reason);
      return;
    }
    const depth = indent / INDENT;
    if (!Number.isInteger(depth) || depth > this.blocks.length) return;
    if (parsed === null || (depth === this.blocks.length && !this.opens(parsed))) return;
    while (this.blocks.length > depth + 1) this.closeInnermost();
    this.blocks.at(-1)?.add(parsed);
    if (parsed.of === 'point') this.yamlIndent = indent + 2;
  }

  /** Returns whether the line belongs to YAML, which follows a test point with two more columns of indentation. */
  private isYaml(indent: number, content: string): boolean {
    if (this.isInYaml) {
      if (content === '...' && indent === this.yamlIndent) this.isInYaml = false;
      return true;
    }
    this.isInYaml = content === '---' && indent === this.yamlIndent;
    if (!this.isInYaml) this.yamlIndent = null;
    return this.isInYaml;
  }

  /** Starts an inner block, which is indented by four more columns. Returns false for a line that cannot begin a block. */
  private opens(line: BlockLine): boolean {
    if (line.of === 'end') return false;
    const around = this.blocks.at(-1);
    if (around === undefined) return false;
    this.blocks.push(around.open());
    return true;
  }

  /** A bail-out at any depth ends the whole run. */
  private bailOut(reason: string): void {
    this.isOver = true;
    this.counter.fail(`bailed out: ${excerpt(reason, REASON_LENGTH) || 'no reason given'}`);
  }

  private closeInnermost(): void {
    this.blocks.pop()?.close();
  }
}
