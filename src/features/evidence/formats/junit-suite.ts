import { isFailedStatus, withoutSeparators } from './test-counter.js';
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
  todo: 'skipped',
} as const;
type Outcome = (typeof OUTCOMES)[keyof typeof OUTCOMES];

/** The known elements by their names in lower case. */
const ELEMENTS: ReadonlyMap<string, string> = new Map(
  ['testsuites', 'testsuite', 'testcase', ...Object.keys(OUTCOMES)].map((name) => [name.toLowerCase(), name]),
);
/** The attributes on which a verdict depends, in lower case as JUnit writes them. */
const ATTRIBUTES: ReadonlySet<string> = new Set([
  'tests',
  'failures',
  'errors',
  'skipped',
  'disabled',
  'failed',
  'status',
  'result',
  'outcome',
  'conclusion',
  'success',
]);
const SUCCESS = /^\s*(?:true|yes|1)?\s*$/i;

/** Throws for a name that differs from a known one only by case, because another reader would take it for the known one. */
export function refuseOtherCase(element: string, attributes: XmlAttributes, toError: CreateXmlError): void {
  const known = ELEMENTS.get(element.toLowerCase());
  if (known === undefined) return;
  if (known !== element) throw toError(`the element ${element} must be written as ${known}`);
  for (const name of attributes.keys()) {
    const lower = name.toLowerCase();
    if (lower !== name && ATTRIBUTES.has(lower)) throw toError(`the attribute ${name} must be written as ${lower}`);
  }
}

/** Values of `status` and `result` that some tools (CTest, GoogleTest, behave) write besides or instead of child elements. */
const SKIPPED_STATUS =
  /^(?:skip(?:ped)?|notrun|untested|blocked|inconclusive|disabled|suppressed|ignored|pending|todo)$/i;
/** Catch2's message for a test that may fail. An exception in it is an `<error>`. */
const CATCH2_MAY_FAIL = 'TEST_CASE tagged with !mayfail';
/** The types by which node:test marks a test that it skips although it failed. */
const NODE_SKIPS: ReadonlySet<string | undefined> = new Set(['skipped', 'todo']);

/** Returns what an element states of itself besides its children and counts. */
function readStatuses(attributes: XmlAttributes): readonly string[] {
  const statuses = ['status', 'result', 'outcome', 'conclusion']
    .map((name) => attributes.get(name))
    .filter((status) => status !== undefined);
  const isUnsuccessful = !SUCCESS.test(attributes.get('success') ?? '');
  return [...statuses.map(withoutSeparators), ...(isUnsuccessful ? ['failed'] : [])];
}

export function toOutcome(element: string): Outcome | undefined {
  return Object.hasOwn(OUTCOMES, element) ? OUTCOMES[element as keyof typeof OUTCOMES] : undefined;
}

/** One `<testcase>`, from its opening tag to its closing one. */
export class JunitCase {
  readonly name: string;
  readonly className: string;
  readonly file: string;
  private readonly statuses: readonly string[];
  private readonly seen: Record<Outcome, number> = { defect: 0, rerun: 0, flaky: 0, skipped: 0 };
  private failures = 0;
  /** The elements of the case itself, not of its steps, that do not count because the tool marks the case as skipped. */
  private readonly excused = new Set<string>();
  /** The names of the defects of the case itself. */
  private readonly ownDefects: string[] = [];
  private firstMessage: string | null = null;

  constructor(attributes: XmlAttributes) {
    this.name = attributes.get('name') ?? '';
    this.className = attributes.get('classname') ?? '';
    this.file = attributes.get('file') ?? '';
    this.statuses = readStatuses(attributes);
  }

  /** Records a child element. `isOwn` means that it belongs to the case itself and not to a step. */
  record(element: string, outcome: Outcome, attributes: XmlAttributes, isOwn: boolean): void {
    const type = attributes.get('type');
    const message = attributes.get('message') ?? '';
    if (outcome === 'skipped' && this.couldNotRun(message)) {
      this.seen.defect += 1;
      this.explain(message);
    } else {
      this.seen[outcome] += 1;
      if (isOwn && element === 'skipped') this.excuse(type, message);
    }
    if (element === 'failure') this.failures += 1;
    if (outcome === 'defect' && isOwn) this.ownDefects.push(element);
  }

  /** An `<error>` counts also in a case that node:test skips, because pytest writes one if the teardown of a skipped test fails. */
  private excuse(type: string | undefined, message: string): void {
    if (NODE_SKIPS.has(type) || message === CATCH2_MAY_FAIL) this.excused.add('failure');
    if (message === CATCH2_MAY_FAIL) this.excused.add('error');
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

  private get hasDefect(): boolean {
    return this.seen.defect > this.ownDefects.filter((element) => this.excused.has(element)).length;
  }

  get flaky(): boolean {
    return this.seen.flaky > 0 && this.status === 'passed';
  }

  get status(): JunitStatus {
    const { seen, statuses } = this;
    if (this.hasDefect || statuses.some(isFailedStatus)) return 'failed';
    if (seen.rerun > 0 && seen.flaky === 0) return 'failed';
    const isSkipped = seen.skipped > 0 || statuses.some((status) => SKIPPED_STATUS.test(status));
    return isSkipped ? 'skipped' : 'passed';
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
  private readonly statuses: readonly string[];
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
      defects: greater(count('failed'), sum(count('failures'), count('errors'))),
      skipped: count('skipped') ?? count('skips') ?? count('ignored'),
    };
    this.disabled = count('disabled');
    this.statuses = readStatuses(attributes);
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

  /** Returns the status by which the suite failed although none of its cases did; null if there is none. */
  failedStatus(): string | null {
    return (this.counts.failed === 0 && this.statuses.find(isFailedStatus)) || null;
  }

  /** Returns the number of stated failures that no case contains, which means a failure outside of the tests. */
  unexplainedFailures(): number {
    const missing = (this.stated.defects ?? 0) - Math.max(this.counts.defects, this.counts.failed);
    if (this.reportedUnexplained || missing <= 0) return 0;
    this.reportedUnexplained = true;
    return missing;
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

function greater(first: number | null, second: number | null): number | null {
  return first === null ? second : Math.max(first, second ?? 0);
}
