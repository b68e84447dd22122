import type { TestOutcome, FailedTest } from '../../../domain/evidence/evidence.js';
import { formatOverflow, BoundedList, excerpt, createMessageList } from './bounded-list.js';
import type { ParsedContent, ReportDetail, ReportLimits } from './report-format.js';
import { TestResultsEncoder } from './test-results-encoder.js';
import { type TestName, TestSuite } from './test-suite.js';
import { formatTestName } from '../../../domain/quality/test-results.js';

/** More failed tests in one report are counted without their names. */
const MOST_TESTS = 200;
const NAME_LENGTH = 300;
/** The part of a long name that the own name of the test may take. */
const TEST_LENGTH = 150;

/** Collects failed tests whose names occur once in a report, in its order. */
class FailedTestCollector {
  private readonly byId = new Map<string, FailedTest>();

  /** Adds a test whose name has not occurred before. Ignores a test without an own name. */
  add({ id, suites, test }: TestName): void {
    if (test !== '' && this.byId.size < MOST_TESTS) this.byId.set(id, { id, name: formatShort(suites, test) });
  }

  /** Removes a test whose name occurs again, because it does not say which of the tests is meant. */
  delete({ id }: TestName): void {
    this.byId.delete(id);
  }

  get tests(): readonly FailedTest[] {
    return [...this.byId.values()];
  }
}

function formatShort(suites: string, test: string): string {
  const name = formatTestName(suites, test);
  if (name.length <= NAME_LENGTH) return name;
  const shortTest = excerpt(test, TEST_LENGTH);
  const separatorLength = formatTestName('s', 't').length - 2;
  return formatTestName(excerpt(suites, NAME_LENGTH - separatorLength - shortTest.length), shortTest);
}

const MESSAGE_LENGTH = 1_000;

/** Terminal colors, which many messages contain. */
const COLORS = /\p{Cc}\[[\d;]*m/gu;

/** One test of a report. */
interface ReportedTest {
  readonly name: TestName;
  readonly outcome: TestOutcome['outcome'];
  readonly location: string | null;
  /** The reason of the failure. */
  readonly message: string;
}

/** The totals that a report states; null if it does not state them. */
interface StatedTotals {
  readonly tests: number | null;
  readonly failed: number | null;
  readonly skipped: number | null;
}

/** Counts the tests of a report and collects its failures, notes and details. */
export class TestCounter {
  /** The outermost suite of the tests. */
  readonly root = TestSuite.createRoot();
  readonly failures = createMessageList();
  readonly notes = createMessageList();
  private readonly details: BoundedList<ReportDetail>;
  private readonly testResults = new TestResultsEncoder();
  private readonly failedTests = new FailedTestCollector();
  private readonly counts: Record<TestOutcome['outcome'], number> = { passed: 0, failed: 0, skipped: 0, flaky: 0 };

  constructor(limits: ReportLimits) {
    this.details = new BoundedList(limits.details);
  }

  add({ name, outcome, location, message }: ReportedTest): void {
    this.counts[outcome] += 1;
    const known = this.testResults.add(name, outcome);
    if (known === 'known') this.failedTests.delete(name);
    if (outcome !== 'failed') return;
    if (known === 'new') this.failedTests.add(name);
    this.details.addFrom(() => ({
      title: excerpt(name.title, NAME_LENGTH),
      location: location === null ? null : excerpt(location, NAME_LENGTH) || null,
      message: plain(message, MESSAGE_LENGTH),
      testId: name.id,
    }));
  }

  /** Adds a failure outside of the tests. */
  fail(sentence: string): void {
    this.failures.addFrom(() => plain(sentence, NAME_LENGTH));
  }

  /** Compares the stated totals with the tests. The tests count, but a stated failure that no test has fails the report. */
  compare(stated: StatedTotals): void {
    const { passed, failed, skipped, flaky } = this.counts;
    const missing = (stated.failed ?? 0) - failed;
    if (missing > 0) this.fail(`the report states ${missing} failures that no test has`);
    const pairs = [
      ['tests', stated.tests, passed + failed + skipped + flaky],
      ['failures', stated.failed, failed],
      ['skipped', stated.skipped, skipped],
    ] as const;
    for (const [label, total, counted] of pairs) {
      if (total !== null && total !== counted) this.notes.add(`${total} ${label} stated, ${counted} counted`);
    }
  }

  get failed(): number {
    return this.counts.failed;
  }

  get flaky(): number {
    return this.counts.flaky;
  }

  result(): ParsedContent {
    const { passed, failed, skipped, flaky } = this.counts;
    const total = passed + failed + skipped + flaky;
    if (total === 0) this.failures.add('no tests');
    return {
      measure: {
        of: 'tests',
        value: { total, passed: passed + flaky, failed, skipped, ...(flaky > 0 && { flaky }) },
        testResults: this.testResults,
        failedTests: this.failedTests.tests,
      },
      failures: this.failures.withRest(formatOverflow),
      notes: [...this.notes.withRest(formatOverflow), ...this.testResults.notes],
      details: this.details.entries,
    };
  }
}

/** Removes colors, which may be longer than the text itself. */
const plain = (text: string, length: number): string => excerpt(text.slice(0, 10 * length).replace(COLORS, ''), length);

/** The separators between the words of a status. */
const SEPARATORS = /[\s_-]+/g;
const FAILED_STATUS =
  /^(?:fail(?:ed|ure)?|error(?:ed)?|(?:hook|cleanup)error|exception|fatal|panic(?:ked)?|crash(?:ed)?|broken|unexpected|incomplete|time(?:d?)out|abort(?:ed)?|cancell?ed|interrupted|killed|stopped|undefined|ambiguous|unsuccessful|not(?:ok|passed|successful)|ko)$/i;

/** Returns a status without the separators between its words. */
export const withoutSeparators = (status: string): string => status.replace(SEPARATORS, '');

/** Returns whether a tool means a failure by this status. */
export const isFailedStatus = (status: string): boolean => FAILED_STATUS.test(withoutSeparators(status));
