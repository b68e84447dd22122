import type { TestCounter } from './test-counter.js';

/** A line that means something in TAP; all others are output of the tests. */
export type TapLine =
  | { readonly of: 'point'; readonly point: TapPoint }
  | { readonly of: 'plan'; readonly count: number }
  | { readonly of: 'bail-out'; readonly reason: string }
  | { readonly of: 'subtest'; readonly name: string }
  /** The `}` that ends a buffered subtest. */
  | { readonly of: 'end' };

/** What means something to the block that it stands in. */
export type BlockLine = Exclude<TapLine, { of: 'bail-out' }>;

/** One test, or the sum of a subtest. */
export interface TapPoint {
  readonly isOk: boolean;
  /** Null where the line does not number it. */
  readonly number: number | null;
  readonly description: string;
  readonly directive: 'skip' | 'todo' | null;
  /** Its subtest follows, in braces. */
  readonly opensBlock: boolean;
}

const POINT = /^(not )?ok\b(?:[ \t]+(\d{1,9})\b)?[ \t]*(?:- )?(.*)$/;
const PLAN = /^1\.\.(\d{1,9})[ \t]*(?:#.*)?$/;
const BAIL_OUT = /^Bail out!(.*)$/i;
const SUBTEST = /^# Subtest(?:: (.*))?$/;
/** `Skipped:` is a directive as well. */
const DIRECTIVE = /^(skip|todo\b)/i;
/** Only the word itself excuses a failure. */
const EXCUSE = /^(?:skip(?=[\s:]|$)|todo\b)/i;
/** How long it took differs from run to run (node-tap). */
const TIMING = /^time=[\d.]+m?s$/;

/** Reads a line without its indentation; null where it says nothing. */
export function tapLineOf(line: string): TapLine | null {
  switch (line.charAt(0)) {
    case 'o':
    case 'n':
      return pointOf(POINT.exec(line));
    case '1':
      return planOf(PLAN.exec(line));
    case '#':
      return subtestOf(SUBTEST.exec(line));
    case 'B':
    case 'b':
      return bailOutOf(BAIL_OUT.exec(line));
    case '}':
      return line === '}' ? { of: 'end' } : null;
    default:
      return null;
  }
}

const planOf = (match: RegExpExecArray | null): TapLine | null =>
  match === null ? null : { of: 'plan', count: Number(match[1]) };

const subtestOf = (match: RegExpExecArray | null): TapLine | null =>
  match === null ? null : { of: 'subtest', name: unescaped(match[1] ?? '') };

const bailOutOf = (match: RegExpExecArray | null): TapLine | null =>
  match === null ? null : { of: 'bail-out', reason: match[1]?.trim() ?? '' };

function pointOf(match: RegExpExecArray | null): TapLine | null {
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

/** At the first `#` that is not escaped and stands after a space or alone. */
function splitAtHash(text: string): { readonly description: string; readonly comment: string } {
  for (let at = text.indexOf('#'); at !== -1; at = text.indexOf('#', at + 1)) {
    if (at > 0 && !/\s/.test(text.charAt(at - 1))) continue;
    return { description: text.slice(0, at).trim(), comment: text.slice(at + 1).trim() };
  }
  return { description: text.trim(), comment: '' };
}

/** TAP 14 writes `\#` and `\\` for what would mean something else. */
const unescaped = (text: string): string => (text.includes('\\') ? text.replace(/\\([#\\])/g, '$1') : text).trim();

/** A TAP document, or a subtest in one: its plan, and its test points in the order of their numbers. */
export class TapBlock {
  private planned: number | null = null;
  private points = 0;
  /** A plan stands before all points or after them. */
  private isComplete = false;
  /** What a comment called the subtest that follows, or the point whose subtest follows in braces. */
  private announced: string | null = null;
  /** The point whose subtest in braces is open. */
  private braced: TapPoint | null = null;
  /** The subtest that waits for the point that sums it up. */
  private inner: TapBlock | null = null;
  private hasTests = false;
  private hasFailed = false;

  constructor(
    private readonly counter: TestCounter,
    /** What this block and those around it are called; empty for the document. */
    private readonly path: readonly string[] = [],
  ) {}

  /** A subtest within this block. */
  open(): TapBlock {
    const name = this.braced?.description ?? this.announced ?? `subtest ${this.points + 1}`;
    this.announced = null;
    this.inner = new TapBlock(this.counter, [...this.path, name]);
    return this.inner;
  }

  take(line: BlockLine): void {
    if (line.of === 'subtest') this.announced = line.name;
    else if (line.of === 'plan') this.plan(line.count);
    else if (line.of === 'end') this.endBraces();
    else if (line.point.opensBlock) this.openBraces(line.point);
    else this.point(line.point);
  }

  /** Nothing more of this block follows. */
  close(): void {
    if (this.braced !== null) this.endBraces();
    if (this.inner !== null) this.fail('a subtest has no test point that sums it up');
    if (this.planned === null) this.fail('no plan says how many tests there are');
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
      this.fail(`test ${point.number} where ${this.points} is due`);
      this.points = point.number;
    }
    if (this.isComplete) this.fail('a test after the plan that ends the tests');
    const { inner } = this;
    this.inner = null;
    const outcome = outcomeOf(point);
    // A subtest is no test of its own, unless it failed and none of its tests did.
    const isSum = inner !== null && inner.hasTests && (outcome !== 'failed' || inner.hasFailed);
    if (outcome === 'failed' || inner?.hasFailed === true) this.hasFailed = true;
    this.hasTests = true;
    if (isSum) return;
    const { path } = this;
    const name = point.description || `test ${this.points}`;
    this.counter.add({ steps: [...path, name], outcome, location: path.join(' › ') || null, message: '' });
  }

  private fail(reason: string): void {
    this.counter.fail([...this.path, reason].join(': '));
  }
}

/** A test with a directive is skipped whether it is ok or not. */
function outcomeOf({ isOk, directive }: TapPoint): 'passed' | 'failed' | 'skipped' {
  if (directive !== null) return 'skipped';
  return isOk ? 'passed' : 'failed';
}
