import type { XmlAttributes, CreateXmlError } from './xml-reader.js';

type JunitStatus = 'passed' | 'failed' | 'skipped';

/** Child elements that say how a test went, by what they say; Surefire's `flaky…` and `rerun…` are of repeated runs. */
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

/** Values of `status` and `result` that some writers (CTest, GoogleTest, behave) use beside or instead of child elements. */
const FAILED_STATUS =
  /^(?:fail(?:ed|ure)?|error(?:ed)?|(?:hook|cleanup)error|exception|fatal|panic(?:ked)?|crash(?:ed)?|broken|unexpected|incomplete|time(?:d?)out|abort(?:ed)?|cancell?ed|interrupted|killed|stopped)$/i;
const SKIPPED_STATUS =
  /^(?:skip(?:ped)?|notrun|untested|blocked|inconclusive|disabled|suppressed|ignored|pending|todo)$/i;
/** How Catch2 marks a test that may fail; an exception in it is an `<error>`. */
const CATCH2_MAY_FAIL = 'TEST_CASE tagged with !mayfail';
/** How Catch2 marks a test that skips the rest of itself; a check that failed before fails the test. */
const CATCH2_SKIP = 'SKIP';
/** Between the words of a status. */
const SEPARATORS = /[\s_-]+/g;

export function outcomeOf(element: string): Outcome | undefined {
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
  /** It is marked as skipped as a whole, so that a `<failure>` beside that does not count. */
  private isExcused = false;
  /** How many `<failure>` elements are of the case itself and not of a step in it. */
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

  /** `isOwn` says that the element is a child of the case, and not of a step in it. */
  record(element: string, outcome: Outcome, attributes: XmlAttributes, isOwn: boolean): void {
    const type = attributes.get('type');
    const message = attributes.get('message') ?? '';
    // node:test marks a todo as `<skipped type="todo">`, and adds a failure where the todo did not pass: still a todo.
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
   * CTest marks as skipped what it could not start, and yet counts it as failed itself; what it was told to skip names
   * the property that says so (`SKIP_RETURN_CODE`, `SKIP_REGULAR_EXPRESSION`).
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

  /** How many `<failure>` and `<error>` elements it carries. */
  get defects(): number {
    return this.seen.defect;
  }

  /** An `<error>` counts also where the case is skipped: pytest writes one where a skipped test cannot be torn down. */
  private get hasDefect(): boolean {
    return this.seen.defect > (this.isExcused ? this.ownFailures : 0);
  }

  get flaky(): boolean {
    return this.status === 'passed' && this.seen.flaky > 0;
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

/** What was counted in a suite; `cases` before those of one test are merged, as the writers of totals count them. */
interface SuiteCounts {
  cases: number;
  tests: number;
  failed: number;
  skipped: number;
  flaky: number;
  defects: number;
}

const zeroCounts = (): SuiteCounts => ({ cases: 0, tests: 0, failed: 0, skipped: 0, flaky: 0, defects: 0 });

/** One `<testsuites>` or `<testsuite>`: what it states of itself, and what its cases say. */
export class JunitSuite {
  readonly name: string;
  readonly tookNoTime: boolean;
  /** Of this suite and all within it. */
  readonly counts = zeroCounts();
  /** Without the suites within it: some writers state totals of those, others do not. */
  private readonly own = zeroCounts();
  private readonly stated: {
    readonly tests: number | null;
    readonly defects: number | null;
    readonly skipped: number | null;
  };
  private readonly disabled: number | null;
  private previous: JunitCase | null = null;
  private accused = false;

  constructor(attributes: XmlAttributes, toError: CreateXmlError) {
    const count = (name: string): number | null => {
      const value = attributes.get(name)?.trim();
      if (value === undefined || value === '') return null;
      if (!COUNT.test(value)) throw toError(`the attribute ${name} of a suite is no count`);
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

  /** Counts a finished case; false where it only says more of the test before it. */
  add(testCase: JunitCase): boolean {
    const isNew = this.previous === null || !testCase.continues(this.previous);
    this.previous = testCase;
    for (const counts of [this.own, this.counts]) {
      counts.cases += 1;
      counts.defects += testCase.defects;
      if (!isNew) continue;
      counts.tests += 1;
      if (testCase.status === 'failed') counts.failed += 1;
      if (testCase.status === 'skipped') counts.skipped += 1;
      if (testCase.flaky) counts.flaky += 1;
    }
    return isNew;
  }

  /** Takes over what a finished suite within this one counted. */
  include(inner: JunitSuite): void {
    for (const key of Object.keys(this.counts) as (keyof SuiteCounts)[]) this.counts[key] += inner.counts[key];
    this.accused ||= inner.accused;
  }

  /** Failures that the suite states and no case within it carries: something beside its tests went wrong. */
  unexplainedFailures(): number {
    const stated = this.stated.defects ?? 0;
    if (this.accused || this.counts.failed > 0 || stated <= this.counts.defects) return 0;
    this.accused = true;
    return stated;
  }

  /** Totals that agree with the cases under no reading of them. */
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
