import type { XmlAttributes, CreateXmlError } from './xml-reader.js';

type JunitStatus = 'passed' | 'failed' | 'skipped';

/** The outcomes that child elements mean. Surefire's `flaky…` and `rerun…` belong to repeated runs. */
const OUTCOMES = {
  failure: 'defect',
  error: 'defect',
  rerunFailure: 'rerun',
  rerunError: 'rerun',
  flakyFailure: 'flaky',
  flakyError: 'flaky',
  skipped: 'skipped',
  ignored: 'skipped',
  disabled: 'skipped',
  pending: 'skipped',
  todo: 'todo',
} as const;
type Outcome = (typeof OUTCOMES)[keyof typeof OUTCOMES];

/** Values of `status` and `result` that some tools (CTest, GoogleTest, behave) write besides or instead of child elements. */
const FAILED_STATUS =
  /^(?:fail(?:ed|ure)?|error(?:ed)?|(?:hook|cleanup)error|exception|fatal|panic(?:ked)?|crash(?:ed)?|broken|unexpected|incomplete|time(?:d?)out|abort(?:ed)?|cancell?ed|interrupted|killed|stopped)$/i;
const SKIPPED_STATUS =
  /^(?:skip(?:ped)?|notrun|untested|blocked|inconclusive|disabled|suppressed|ignored|pending|todo)$/i;
/** Catch2's message for a test that may fail. An exception in it is an `<error>`. */
const CATCH2_MAY_FAIL = 'TEST_CASE tagged with !mayfail';
/** Catch2's type for a test that skips its rest. An earlier failed check fails the test. */
const CATCH2_SKIP = 'SKIP';
/** The separators between the words of a status. */
const SEPARATORS = /[\s_-]+/g;

export function toOutcome(element: string): Outcome | undefined {
  return Object.hasOwn(OUTCOMES, element) ? OUTCOMES[element as keyof typeof OUTCOMES] : undefined;
}

/** One `<testcase>`, from its opening tag to its closing one. */
export class JunitCase {
  readonly name: string;
  readonly className: string;
  readonly file: string;
  private readonly statuses: readonly string[];
  private readonly seen: Record<Outcome, number> = { defect: 0, rerun: 0, flaky: 0, skipped: 0, todo: 0 };
  private failures = 0;
  /** The whole case is marked as skipped, so its own `<failure>` does not count. */
  private isExcused = false;
  /** The number of `<failure>` elements of the case itself, not of its steps. */
  private ownFailures = 0;
  private firstMessage: string | null = null;

  constructor(attributes: XmlAttributes) {
    this.name = attributes.get('name') ?? '';
    this.className = attributes.get('classname') ?? '';
    this.file = attributes.get('file') ?? '';
    this.statuses = [attributes.get('status'), attributes.get('result')]
      .filter((status) => status !== undefined)
      .map((status) => status.replace(SEPARATORS, ''));
  }

  /** Records a child element. `isOwn` means that it belongs to the case itself and not to a step. */
  record(element: string, outcome: Outcome, attributes: XmlAttributes, isOwn: boolean): void {
    const type = attributes.get('type');
    const message = attributes.get('message') ?? '';
    // node:test reports a todo as `<skipped type="todo">` and adds a failure if it did not pass. It is still a todo.
    const isTodo = outcome === 'skipped' && (type === 'todo' || message === CATCH2_MAY_FAIL);
    if (outcome === 'skipped' && this.couldNotRun(message)) {
      this.seen.defect += 1;
      this.explain(message);
    } else {
      this.seen[isTodo ? 'todo' : outcome] += 1;
      if (isOwn && element === 'skipped' && type !== CATCH2_SKIP) this.isExcused = true;
    }
    if (element === 'failure') this.failures += 1;
    if (element === 'failure' && isOwn) this.ownFailures += 1;
  }

  /**
   * CTest marks a test that it could not start as skipped, but counts it as failed. The message of a test that is really
   * skipped names the property that causes it (`SKIP_RETURN_CODE`, `SKIP_REGULAR_EXPRESSION`).
   */
  private couldNotRun(message: string): boolean {
    return this.statuses.includes('notrun') && message !== '' && !message.startsWith('SKIP_');
  }

  explain(message: string): void {
    if (message.trim() !== '') this.firstMessage ??= message;
  }

  get message(): string {
    return this.firstMessage ?? '';
  }

  /** The number of `<failure>` and `<error>` elements. */
  get defects(): number {
    return this.seen.defect;
  }

  /** An `<error>` counts also in a skipped case, because pytest writes one if the teardown of a skipped test fails. */
  private get hasDefect(): boolean {
    return this.seen.defect > (this.isExcused ? this.ownFailures : 0);
  }

  get flaky(): boolean {
    return this.seen.flaky > 0 && this.status === 'passed';
  }

  get status(): JunitStatus {
    const { seen, statuses } = this;
    if (seen.todo > 0) return 'skipped';
    if (this.hasDefect || statuses.some((status) => FAILED_STATUS.test(status))) return 'failed';
    if (seen.skipped > 0 || statuses.some((status) => SKIPPED_STATUS.test(status))) return 'skipped';
    if (seen.rerun > 0 && seen.flaky === 0) return 'failed';
    return 'passed';
  }

  /**
   * Whether this is the same failed test as the case just before it: pytest writes a test that fails and then cannot be
   * torn down as two cases, a `<failure>` and an `<error>`, and jest-junit does so for a suite that does not load.
   */
  continues(previous: JunitCase): boolean {
    const onlyFailed = (one: JunitCase, other: JunitCase): boolean =>
      one.failures > 0 && one.failures === one.defects && other.failures === 0 && other.defects > 0;
    return (
      this.name === previous.name &&
      this.className === previous.className &&
      this.file === previous.file &&
      this.status === 'failed' &&
      previous.status === 'failed' &&
      (onlyFailed(this, previous) || onlyFailed(previous, this))
    );
  }
}

const COUNT = /^\d{1,15}$/;

/** The counts of a suite. `cases` counts each element, before those of one test are merged, because tools count so in their totals. */
interface SuiteCounts {
  cases: number;
  tests: number;
  failed: number;
  skipped: number;
  flaky: number;
  defects: number;
}

const zeroCounts = (): SuiteCounts => ({ cases: 0, tests: 0, failed: 0, skipped: 0, flaky: 0, defects: 0 });

/** One `<testsuites>` or `<testsuite>`: its stated totals and the counts of its cases. */
export class JunitSuite {
  readonly name: string;
  readonly tookNoTime: boolean;
  /** The counts of this suite and all inner suites. */
  readonly counts = zeroCounts();
  /** The counts without inner suites. Some tools state totals with them, others without. */
  private readonly own = zeroCounts();
  private readonly stated: {
    readonly tests: number | null;
    readonly defects: number | null;
    readonly skipped: number | null;
  };
  private readonly disabled: number | null;
  private previous: JunitCase | null = null;
  private reportedUnexplained = false;

  constructor(attributes: XmlAttributes, toError: CreateXmlError) {
    const count = (name: string): number | null => {
      const value = attributes.get(name)?.trim();
      if (value === undefined || value === '') return null;
      if (!COUNT.test(value)) throw toError(`the attribute ${name} of a suite is not a count`);
      return Number(value);
    };
    this.name = attributes.get('name') ?? '';
    this.tookNoTime = attributes.get('time') === '0';
    this.stated = {
      tests: count('tests'),
      defects: sum(count('failures'), count('errors')),
      skipped: count('skipped') ?? count('skips') ?? count('ignored'),
    };
    this.disabled = count('disabled');
  }

  /** Counts a finished case. Returns false if it belongs to the test before it. */
  add(testCase: JunitCase): boolean {
    const isNew = this.previous === null || !testCase.continues(this.previous);
    this.previous = testCase;
    const { status, flaky, defects } = testCase;
    for (const counts of [this.own, this.counts]) {
      counts.cases += 1;
      counts.defects += defects;
      if (!isNew) continue;
      counts.tests += 1;
      if (status === 'failed') counts.failed += 1;
      if (status === 'skipped') counts.skipped += 1;
      if (flaky) counts.flaky += 1;
    }
    return isNew;
  }

  /** Adds the counts of a finished inner suite. */
  include(inner: JunitSuite): void {
    for (const key of Object.keys(this.counts) as (keyof SuiteCounts)[]) this.counts[key] += inner.counts[key];
    this.reportedUnexplained ||= inner.reportedUnexplained;
  }

  /** Returns the number of stated failures that no case contains, which means a failure outside of the tests. */
  unexplainedFailures(): number {
    const stated = this.stated.defects ?? 0;
    if (this.reportedUnexplained || this.counts.failed > 0 || stated <= this.counts.defects) return 0;
    this.reportedUnexplained = true;
    return stated;
  }

  /** Returns one sentence for each stated total that differs from every way of counting the cases. */
  disagreements(): readonly string[] {
    const { own, counts, stated, disabled } = this;
    const found: string[] = [];
    const compare = (label: string, total: number | null, counted: number, readings: readonly number[]): void => {
      if (total !== null && !readings.includes(total)) found.push(`${total} ${label} stated, ${counted} counted`);
    };
    compare('tests', stated.tests, counts.tests, [counts.cases, own.cases, counts.tests, own.tests]);
    compare('failures', stated.defects, counts.failed, [counts.failed, own.failed, counts.defects, own.defects]);
    const skipped = [counts.skipped, own.skipped];
    compare('skipped', stated.skipped, counts.skipped, [
      ...skipped,
      ...skipped.map((count) => count - (disabled ?? 0)),
    ]);
    return found;
  }
}

function sum(first: number | null, second: number | null): number | null {
  return first === null && second === null ? null : (first ?? 0) + (second ?? 0);
}
