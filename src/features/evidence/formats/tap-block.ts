import type { BlockLine, TapPoint } from './tap-line.js';
import type { TestTally } from './test-counter.js';

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
    private readonly tally: TestTally,
    /** What this block and those around it are called; empty for the document. */
    private readonly path: readonly string[] = [],
  ) {}

  /** A subtest within this block. */
  open(): TapBlock {
    const name = this.braced?.description ?? this.announced ?? `subtest ${this.points + 1}`;
    this.announced = null;
    this.inner = new TapBlock(this.tally, [...this.path, name]);
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
    this.tally.add({ steps: [...path, name], outcome, location: path.join(' › ') || null, message: '' });
  }

  private fail(reason: string): void {
    this.tally.fail([...this.path, reason].join(': '));
  }
}

/** A test with a directive is skipped whether it is ok or not. */
function outcomeOf({ isOk, directive }: TapPoint): 'passed' | 'failed' | 'skipped' {
  if (directive !== null) return 'skipped';
  return isOk ? 'passed' : 'failed';
}
