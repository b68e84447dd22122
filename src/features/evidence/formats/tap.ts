import { excerpt } from './bounded-list.js';
import type { ParsedContent, ReportFormat, ReportLimits } from './report-format.js';
import type { ReportText } from './report-text.js';
import { type BlockLine, TapBlock, tapLineOf } from './tap-block.js';
import { TestCounter } from './test-counter.js';

/** Four columns for each block within another (TAP 14, "Subtests"). */
const INDENT = 4;
const REASON_LENGTH = 300;

/** What `npm test` writes before the output of what it runs. */
const PREAMBLE = /(?:[ \t]*(?:>.*|#.*)?\r?\n)*/y;
const VERSION = /TAP version \d+[ \t]*\r?$/my;
const FIRST_LINE = /(?:1\.\.\d+|(?:not )?ok\b)/y;
const PLAN = /^1\.\.\d+[ \t]*(?:#.*)?\r?$/m;

/** The Test Anything Protocol, 12 to 14, with subtests as TAP 14, node-tap and node:test write them. */
export const tap: ReportFormat = {
  name: 'tap',
  title: 'TAP',
  defaultKind: 'unit_tests',

  /** It says so, or it begins as TAP 12 may and has a plan: many a log begins with "ok". */
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
  /** The blocks that are open, from the document inwards. */
  private readonly blocks: TapBlock[];
  /** Columns before the `---` of the YAML that may follow, or is open; null where the line before is no test point. */
  private yamlIndent: number | null = null;
  private isInYaml = false;
  private isOver = false;

  constructor(limits: ReportLimits) {
    this.counter = new TestCounter(limits);
    this.blocks = [new TapBlock(this.counter)];
  }

  read(text: string): ParsedContent {
    for (let from = 0; from < text.length && !this.isOver;) {
      const newline = text.indexOf('\n', from);
      const to = newline === -1 ? text.length : newline;
      this.line(text.slice(from, to).trimEnd());
      from = to + 1;
    }
    if (this.isInYaml) this.counter.fail('a block of YAML has no end: the report is cut');
    // A block that is open at the end was cut off; after a bail-out nothing else is worth saying.
    if (!this.isOver) while (this.blocks.length > 0) this.closeInnermost();
    return this.counter.reading();
  }

  private line(line: string): void {
    const content = line.trimStart();
    if (content === '') return;
    const indent = line.length - content.length;
    if (this.isYaml(indent, content)) return;
    const parsed = tapLineOf(content);
    if (parsed?.of === 'bail-out') {
      this.bailOut(parsed.reason);
      return;
    }
    const depth = indent / INDENT;
    if (!Number.isInteger(depth) || depth > this.blocks.length) return;
    if (parsed === null || (depth === this.blocks.length && !this.opens(parsed))) return;
    while (this.blocks.length > depth + 1) this.closeInnermost();
    this.blocks.at(-1)?.take(parsed);
    if (parsed.of === 'point') this.yamlIndent = indent + 2;
  }

  /** YAML follows a test point, two columns further in; within it nothing is TAP. */
  private isYaml(indent: number, content: string): boolean {
    if (this.isInYaml) {
      if (content === '...' && indent === this.yamlIndent) this.isInYaml = false;
      return true;
    }
    this.isInYaml = content === '---' && indent === this.yamlIndent;
    if (!this.isInYaml) this.yamlIndent = null;
    return this.isInYaml;
  }

  /** A block begins with whatever stands four columns further in, and may be named before. */
  private opens(line: BlockLine): boolean {
    if (line.of === 'end') return false;
    const around = this.blocks.at(-1);
    if (around === undefined) return false;
    this.blocks.push(around.open());
    return true;
  }

  /** At any depth: a bail-out ends the whole run. */
  private bailOut(reason: string): void {
    this.isOver = true;
    this.counter.fail(`bailed out: ${excerpt(reason, REASON_LENGTH) || 'no reason given'}`);
  }

  private closeInnermost(): void {
    this.blocks.pop()?.close();
  }
}
