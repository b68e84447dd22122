import type { XmlAttributes } from './xml-reader.js';

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
