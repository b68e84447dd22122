import type { TestCounter } from './test-counter.js';
import type { TestSuite } from './test-suite.js';

/** A TAP line. All other lines are output of the tests. */
export type TapLine =
  | { readonly of: 'point'; readonly point: TapPoint }
  | { readonly of: 'plan'; readonly count: number }
  | { readonly of: 'bail-out'; readonly reason: string }
  | { readonly of: 'subtest'; readonly name: string }
  /** The `}` that ends a buffered subtest. */
  | { readonly of: 'end' };

/** A line that belongs to a block. */
export type BlockLine = Exclude<TapLine, { of: 'bail-out' }>;

/** One test, or the summary of a subtest. */
export interface TapPoint {
  readonly isOk: boolean;
  /** Null if the line has no number. */
  readonly number: number | null;
  readonly description: string;
  readonly directive: 'skip' | 'todo' | null;
  /** Whether its subtest follows in braces. */
  readonly opensBlock: boolean;
}

/** Matches whatever follows, also a line separator of Unicode. Otherwise such a point would be lost, and its spaces would be tried again and again. */
const POINT = /^(not )?ok\b(?:[ \t]+(\d{1,9})\b)?[ \t]*(?:- )?(.*)$/s;
const PLAN = /^1\.\.(\d{1,9})[ \t]*(?:#.*)?$/s;
const BAIL_OUT = /^Bail out!(.*)$/is;
const SUBTEST = /^# Subtest(?:: (.*))?$/s;
/** `Skipped:` is also a directive. */
const DIRECTIVE = /^(skip|todo\b)/i;
/** Only the exact word makes a failed test a skipped one. */
const EXCUSE = /^(?:skip(?=[\s:]|$)|todo\b)/i;
/** The duration, which differs in each run (node-tap). */
const TIMING = /^time=[\d.]+m?s$/;

/** Parses a line without its indentation; null if it is not a TAP line. */
export function parseTapLine(line: string): TapLine | null {
  switch (line.charAt(0)) {
    case 'o':
    case 'n':
      return toPoint(POINT.exec(line));
    case '1':
      return toPlan(PLAN.exec(line));
    case '#':
      return toSubtest(SUBTEST.exec(line));
    case 'B':
    case 'b':
      return toBailOut(BAIL_OUT.exec(line));
    case '}':
      return line === '}' ? { of: 'end' } : null;
    default:
      return null;
  }
}

const toPlan = (match: RegExpExecArray | null): TapLine | null =>
  match === null ? null : { of: 'plan', count: Number(match[1]) };

const toSubtest = (match: RegExpExecArray | null): TapLine | null =>
  match === null ? null : { of: 'subtest', name: unescaped(match[1] ?? '') };

const toBailOut = (match: RegExpExecArray | null): TapLine | null =>
  match === null ? null : { of: 'bail-out', reason: match[1]?.trim() ?? '' };

function toPoint(match: RegExpExecArray | null): TapLine | null {
  if (match === null) return null;
  const [, not, number, rest = ''] = match;
  const opensBlock = rest.endsWith(' {');
  const { description, comment } = splitAtHash(opensBlock ? rest.slice(0, -2) : rest);
  const keyword = DIRECTIVE.exec(comment)?.[1]?.toLowerCase();
  const directive = not === undefined || EXCUSE.test(comment) ? keyword : undefined;
  const isPartOfName = comment !== '' && keyword === undefined && !TIMING.test(comment);
  const point: TapPoint = {
    isOk: not === undefined,
    number: number === undefined ? null : Number(number),
    description: unescaped(isPartOfName ? `${description} # ${comment}` : description),
    directive: directive === 'skip' || directive === 'todo' ? directive : null,
    opensBlock,
  };
  return { of: 'point', point };
}

/** Splits at the first unescaped `#` that follows white space or begins the text. */
function splitAtHash(text: string): { readonly description: string; readonly comment: string } {
  for (let at = text.indexOf('#'); at !== -1; at = text.indexOf('#', at + 1)) {
    if (at > 0 && !/\s/.test(text.charAt(at - 1))) continue;
    return { description: text.slice(0, at).trim(), comment: text.slice(at + 1).trim() };
  }
  return { description: text.trim(), comment: '' };
}

/** Removes the escapes `\#` and `\\` of TAP 14. */
const unescaped = (text: string): string => (text.includes('\\') ? text.replace(/\\([#\\])/g, '$1') : text).trim();

/** A TAP document or a subtest, with its plan and its test points in the order of their numbers. */
export class TapBlock {
  private planned: number | null = null;
  private points = 0;
  /** Whether the plan came after the points, so that no further point may follow. */
  private isComplete = false;
  /** The name of the next subtest by a comment. */
  private announced: string | null = null;
  /** The point with an open subtest in braces. */
  private braced: TapPoint | null = null;
  /** The subtest whose summary point has not come yet. */
  private inner: TapBlock | null = null;
  private hasTests = false;
  private hasFailed = false;

  constructor(
    private readonly counter: TestCounter,
    /** The suite of its tests. */
    private readonly suite: TestSuite = counter.root,
  ) {}

  /** Starts a subtest in this block. */
  open(): TapBlock {
    const name = this.braced?.description ?? this.announced ?? `subtest ${this.points + 1}`;
    this.announced = null;
    this.inner = new TapBlock(this.counter, this.suite.within(name));
    return this.inner;
  }

  add(line: BlockLine): void {
    if (line.of === 'subtest') this.announced = line.name;
    else if (line.of === 'plan') this.plan(line.count);
    else if (line.of === 'end') this.endBraces();
    else if (line.point.opensBlock) this.openBraces(line.point);
    else this.point(line.point);
  }

  /** Ends the block and checks it. */
  close(): void {
    if (this.braced !== null) this.endBraces();
    if (this.inner !== null) this.fail('a subtest has no summary test point');
    if (this.planned === null) this.fail('the plan with the number of tests is missing');
    else if (this.planned !== this.points) this.fail(`${this.planned} tests planned, ${this.points} run`);
  }

  private plan(count: number): void {
    if (this.planned !== null) this.fail('a second plan');
    this.planned = count;
    this.isComplete = this.points > 0;
  }

  private openBraces(point: TapPoint): void {
    this.endBraces();
    this.braced = point;
  }

  private endBraces(): void {
    const point = this.braced;
    this.braced = null;
    if (point !== null) this.point(point);
  }

  private point(point: TapPoint): void {
    this.points += 1;
    this.announced = null;
    if (point.number !== null && point.number !== this.points) {
      this.fail(`test ${point.number} instead of test ${this.points}`);
      this.points = point.number;
    }
    if (this.isComplete) this.fail('a test after the final plan');
    const { inner } = this;
    this.inner = null;
    const outcome = toOutcome(point);
    // A subtest does not count itself, unless it failed and none of its tests did.
    const isSummary = inner !== null && inner.hasTests && (outcome !== 'failed' || inner.hasFailed);
    if (outcome === 'failed' || inner?.hasFailed === true) this.hasFailed = true;
    this.hasTests = true;
    if (isSummary) return;
    const name = this.suite.nameTest(point.description || `test ${this.points}`);
    this.counter.add({ name, outcome, location: this.suite.label, message: '' });
  }

  private fail(reason: string): void {
    const { label } = this.suite;
    this.counter.fail(label === '' ? reason : `${label}: ${reason}`);
  }
}

/** A test with a directive is skipped whether it is ok or not. */
function toOutcome({ isOk, directive }: TapPoint): 'passed' | 'failed' | 'skipped' {
  if (directive !== null) return 'skipped';
  return isOk ? 'passed' : 'failed';
}
