import type { TestOutcome } from '../../../domain/evidence/evidence.js';
import { formatOverflow, BoundedList, excerpt, createMessageList } from './bounded-list.js';
import type { ParsedContent, ReportDetail, ReportLimits } from './report-format.js';
import { TestResultsEncoder } from './test-results-encoder.js';

const NAME_LENGTH = 300;
const MESSAGE_LENGTH = 1_000;

/** Many messages were made for terminals. */
const COLOURS = /\p{Cc}\[[\d;]*m/gu;

/** One test, as a report tells of it. */
export interface ReportedTest {
  /** From the outermost suite to the test itself. */
  readonly steps: readonly string[];
  readonly outcome: TestOutcome['outcome'];
  readonly location: string | null;
  /** Why it failed. */
  readonly message: string;
}

/** Totals that a report states of itself; null where it does not. */
interface StatedTotals {
  readonly tests: number | null;
  readonly failed: number | null;
  readonly skipped: number | null;
}

/** Counts the tests of a report, and gathers what is to be said of it. */
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

  /** Something beside the tests went wrong. */
  fail(sentence: string): void {
    this.failures.add(plain(sentence, NAME_LENGTH));
  }

  /** The tests outrank what a report states of them, but failures that no test carries fail the report. */
  compare(stated: StatedTotals): void {
    const { passed, failed, skipped, flaky } = this.counts;
    if (stated.failed !== null && stated.failed > 0 && failed === 0) {
      this.fail(`the report states ${stated.failed} failures that no test carries`);
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

  reading(): ParsedContent {
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

/** Without colours; those of a message may take more room than its words. */
const plain = (text: string, length: number): string =>
  excerpt(text.slice(0, 10 * length).replace(COLOURS, ''), length);
