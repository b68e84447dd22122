import type { TestOutcome } from '../../../domain/evidence/evidence.js';
import { formatOverflow, BoundedList, excerpt, createMessageList } from './bounded-list.js';
import type { ParsedContent, ReportDetail, ReportLimits } from './report-format.js';
import { TestResultsEncoder } from './test-results-encoder.js';

const NAME_LENGTH = 300;
const MESSAGE_LENGTH = 1_000;

/** Terminal colors, which many messages contain. */
const COLORS = /\p{Cc}\[[\d;]*m/gu;

/** One test of a report. */
export interface ReportedTest {
  /** The names from the outermost suite to the test. */
  readonly steps: readonly string[];
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
  readonly failures = createMessageList();
  readonly notes = createMessageList();
  private readonly details: BoundedList<ReportDetail>;
  private readonly testResults = new TestResultsEncoder();
  private readonly counts: Record<TestOutcome['outcome'], number> = { passed: 0, failed: 0, skipped: 0, flaky: 0 };

  constructor(limits: ReportLimits) {
    this.details = new BoundedList(limits.details);
  }

  add({ steps, outcome, location, message }: ReportedTest): void {
    this.counts[outcome] += 1;
    this.testResults.add(steps, outcome);
    if (outcome !== 'failed') return;
    this.details.add({
      title: excerpt(steps.at(-1) ?? '', NAME_LENGTH),
      location: location === null ? null : excerpt(location, NAME_LENGTH) || null,
      message: plain(message, MESSAGE_LENGTH),
    });
  }

  /** Adds a failure outside of the tests. */
  fail(sentence: string): void {
    this.failures.add(plain(sentence, NAME_LENGTH));
  }

  /** Compares the stated totals with the tests. The tests count, but stated failures without a failed test fail the report. */
  compare(stated: StatedTotals): void {
    const { passed, failed, skipped, flaky } = this.counts;
    if (stated.failed !== null && stated.failed > 0 && failed === 0) {
      this.fail(`the report states ${stated.failed} failures that no test has`);
    }
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
      },
      failures: this.failures.withRest(formatOverflow),
      notes: [...this.notes.withRest(formatOverflow), ...this.testResults.notes],
      details: this.details.entries,
    };
  }
}

/** Removes colors, which may be longer than the text itself. */
const plain = (text: string, length: number): string => excerpt(text.slice(0, 10 * length).replace(COLORS, ''), length);
