import { excerpt } from './bounded-list.js';
import { JunitCase, JunitSuite, refuseOtherCase, toOutcome } from './junit-suite.js';
import type { ParsedContent, ReportFormat, ReportLimits } from './report-format.js';
import type { ReportText } from './report-text.js';
import { TestCounter } from './test-counter.js';
import type { TestSuite } from './test-suite.js';
import { readXml, type XmlAttributes, type CreateXmlError, type XmlVisitor } from './xml-reader.js';

const NAME_LENGTH = 300;
const MESSAGE_LENGTH = 1_000;

/**
 * The name of Vitest's reports. After a crash of a process, a file that did not start is a suite without a test. A file that
 * did not end is a suite of passed tests that took no time, like a suite of type checks.
 */
const VITEST = 'vitest tests';

/**
 * JUnit XML. There is no standard, so this reads the output of Surefire, Gradle, TestNG, pytest, jest-junit, Vitest, Mocha,
 * node:test and GoogleTest. Cases count, not the totals of suites. A suite may also fail outside of its cases.
 */
export const junit: ReportFormat = {
  name: 'junit',
  title: 'JUnit XML',
  defaultKind: 'unit_tests',

  // In any case, so that the reader can say which one is right.
  detect: ({ prolog }) => /^testsuites?$/i.test(prolog?.root ?? ''),

  read(report: ReportText, limits: ReportLimits): ParsedContent {
    const reader: { visitor?: JunitVisitor } = {};
    readXml(report, limits, (toError) => (reader.visitor = new JunitVisitor(limits, toError)));
    if (reader.visitor === undefined) throw report.errorAt(0, 'the document is empty');
    return reader.visitor.result();
  },
};

class JunitVisitor implements XmlVisitor {
  /** A suite for the whole document, which collects the counts of the root suites. */
  private readonly document: JunitSuite;
  private readonly suites: JunitSuite[] = [];
  private readonly counter: TestCounter;
  /** The names of the document and of the open suites, as far as they are part of the names of tests. */
  private readonly names: [TestSuite, ...TestSuite[]];
  private isVitest = false;
  private testCase: JunitCase | null = null;
  /** The number of open elements in the test case. */
  private depth = 0;
  /** The text of the open `<failure>` or `<error>`. */
  private message: string | null = null;

  constructor(
    limits: ReportLimits,
    private readonly toError: CreateXmlError,
  ) {
    this.document = new JunitSuite(new Map(), toError);
    this.counter = new TestCounter(limits);
    this.names = [this.counter.root];
  }

  open(name: string, attributes: XmlAttributes): void {
    refuseOtherCase(name, attributes, this.toError);
    if (name === 'testsuites' || name === 'testsuite') this.openSuite(name, attributes);
    else if (name === 'testcase') this.openCase(attributes);
    else {
      this.openOutcome(name, attributes);
      if (this.testCase !== null) this.depth += 1;
    }
  }

  close(name: string): void {
    if (name === 'testsuites' || name === 'testsuite') this.closeSuite();
    else if (name === 'testcase') this.closeCase();
    else {
      if (this.testCase !== null) this.depth -= 1;
      if (toOutcome(name) === 'defect') this.closeDefect();
    }
  }

  text(chunk: string): void {
    if (this.message !== null && this.message.length < MESSAGE_LENGTH) {
      this.message += chunk.slice(0, MESSAGE_LENGTH + 1 - this.message.length);
    }
  }

  result(): ParsedContent {
    return this.counter.result();
  }

  private get suite(): JunitSuite {
    return this.suites.at(-1) ?? this.document;
  }

  private get suiteName(): TestSuite {
    return this.names.at(-1) ?? this.names[0];
  }

  private openSuite(element: string, attributes: XmlAttributes): void {
    if (this.testCase !== null) throw this.toError('a suite inside a test case');
    if (this.suites.length === 0) this.isVitest = attributes.get('name') === VITEST;
    this.suites.push(new JunitSuite(attributes, this.toError));
    // The name of `<testsuites>` describes the run and may change with each run.
    this.names.push(element === 'testsuite' ? this.suiteName.within(this.suite.name) : this.suiteName);
  }

  private closeSuite(): void {
    const suite = this.suite;
    const unexplained = suite.unexplainedFailures();
    if (unexplained > 0)
      this.counter.failures.add(`${formatTitle(suite)} states ${unexplained} failures that no test case has`);
    const status = suite.failedStatus();
    if (status !== null)
      this.counter.failures.add(
        `${formatTitle(suite)} states "${excerpt(status, NAME_LENGTH)}", and no test case failed`,
      );
    if (this.isVitest && this.suites.length > 1) this.checkFile(suite);
    for (const disagreement of suite.disagreements()) this.counter.notes.add(`${formatTitle(suite)}: ${disagreement}`);
    this.suites.pop();
    this.names.pop();
    this.suite.include(suite);
  }

  private checkFile(suite: JunitSuite): void {
    const { cases, tests, failed, skipped } = suite.counts;
    if (cases === 0) this.counter.failures.add(`${formatTitle(suite)} contains no test: it did not run`);
    else if (suite.tookNoTime && tests > failed + skipped)
      this.counter.notes.add(`${formatTitle(suite)} took no time: its process may have crashed`);
  }

  private openCase(attributes: XmlAttributes): void {
    if (this.testCase !== null) throw this.toError('a test case inside a test case');
    this.testCase = new JunitCase(attributes);
  }

  private closeCase(): void {
    const testCase = this.testCase;
    if (testCase === null) return;
    this.testCase = null;
    if (!this.suite.add(testCase)) return;
    const { className, name, status, flaky, file, message } = testCase;
    this.counter.add({
      name: this.suiteName.within(className).nameTest(name),
      outcome: flaky ? 'flaky' : status,
      location: file || className,
      message,
    });
  }

  private openOutcome(name: string, attributes: XmlAttributes): void {
    const outcome = toOutcome(name);
    if (outcome === undefined) return;
    this.testCase?.record(name, outcome, attributes, this.depth === 0);
    if (outcome !== 'defect') return;
    this.message = attributes.get('message')?.slice(0, MESSAGE_LENGTH + 1) ?? '';
    if (this.message !== '') this.message += '\n';
  }

  private closeDefect(): void {
    const message = this.message ?? '';
    this.message = null;
    if (this.testCase === null) {
      this.counter.failures.add(
        `${formatTitle(this.suite)} failed: ${excerpt(message, NAME_LENGTH) || 'no reason given'}`,
      );
    } else this.testCase.explain(message);
  }
}

function formatTitle(suite: JunitSuite): string {
  return suite.name === '' ? 'a suite without a name' : `suite "${excerpt(suite.name, NAME_LENGTH)}"`;
}
