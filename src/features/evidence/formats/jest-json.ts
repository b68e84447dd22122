import type { TestOutcome } from '../../../domain/evidence/evidence.js';
import { isFailedStatus, TestCounter } from './test-counter.js';
import { type JsonMembers, JsonDocument } from './json-document.js';
import type { JsonPath } from '../../../http/body/json-scanner.js';
import type { ParsedContent, ReportFormat, ReportLimits } from './report-format.js';
import type { ReportText } from './report-text.js';

const STATUSES = ['passed', 'failed', 'pending', 'skipped', 'todo', 'disabled'] as const;

/** The output of `jest --json` and of Vitest's `json` reporter, which differ in how they report retries. */
export const jestJson: ReportFormat = {
  name: 'jest',
  title: 'JSON of Jest',
  defaultKind: 'unit_tests',

  detect: ({ jsonKeys }) => jsonKeys.has('testResults') && jsonKeys.has('numTotalTests'),

  read: (report: ReportText, limits: ReportLimits): ParsedContent =>
    new JestReader(new JsonDocument(report, limits), limits).read(),
};

class JestReader {
  private readonly counter: TestCounter;
  private isVitest = false;
  /** The number of tests of Vitest that did not end before their process did. */
  private unended = 0;

  constructor(
    private readonly json: JsonDocument,
    limits: ReportLimits,
  ) {
    this.counter = new TestCounter(limits);
  }

  read(): ParsedContent {
    const run = this.json.object(this.json.root, []);
    // Jest states whether it was interrupted. Vitest does not.
    this.isVitest = run['wasInterrupted'] === undefined && run['numRuntimeErrorTestSuites'] === undefined;
    for (const [index, file] of this.json.array(run['testResults'], ['testResults']).entries()) {
      this.file(this.json.object(file, ['testResults', index]), ['testResults', index]);
    }
    const count = (name: string): number | null => this.json.optionalCount(run[name], [name]);
    const pending = count('numPendingTests');
    this.counter.compare({
      tests: count('numTotalTests'),
      failed: count('numFailedTests'),
      skipped: pending === null ? null : pending + (count('numTodoTests') ?? 0),
    });
    if (this.json.optionalBoolean(run['wasInterrupted'], ['wasInterrupted']) === true) {
      this.counter.fail('the run was interrupted');
    }
    if (this.unended > 0) this.counter.fail(`${this.unended} tests did not end`);
    const failedFiles = (count('numFailedTestSuites') ?? 0) + (count('numRuntimeErrorTestSuites') ?? 0);
    if (failedFiles > 0 && this.counter.failed === 0) this.counter.fail('the run reports failed files or suites');
    const isSuccess = this.json.optionalBoolean(run['success'], ['success']);
    if (isSuccess === false && this.counter.failed === 0) this.counter.fail('the run reports that it did not succeed');
    return this.counter.result();
  }

  private file(file: JsonMembers, path: JsonPath): void {
    const name = this.json.string(file['name'], [...path, 'name']);
    const before = this.counter.failed;
    const testsPath = [...path, 'assertionResults'];
    const tests = this.json.array(file['assertionResults'], testsPath);
    for (const [index, test] of tests.entries()) {
      this.test(this.json.object(test, [...testsPath, index]), [...testsPath, index], name);
    }
    const { status } = file;
    const hasFailed = typeof status === 'string' && isFailedStatus(status);
    // Jest fails a file without tests. Vitest reports a file that did not run as passed.
    if (tests.length === 0 && !hasFailed && status !== 'skipped') {
      this.counter.fail(`${name} contains no test: it did not run`);
    }
    if (this.counter.failed > before) return;
    const message = this.readFileMessage(file, path);
    if (!hasFailed && message === '') return;
    this.counter.fail(`${name} failed outside of its tests: ${message || 'no reason given'}`);
  }

  /**
   * Returns the message of a failure; empty if there is none. Jest and Vitest state one only for a file with a failure. Old
   * versions of Vitest state the status `passed` if a hook failed and all tests of the file passed.
   */
  private readFileMessage(file: JsonMembers, path: JsonPath): string {
    const messages = ['message', 'failureMessage'].map((member) =>
      (this.json.optionalString(file[member], [...path, member]) ?? '').trim(),
    );
    const message = messages.find((text) => text !== '') ?? '';
    const { testExecError } = file;
    return message || (testExecError === undefined || testExecError === null ? '' : 'the file could not be executed');
  }

  private test(test: JsonMembers, path: JsonPath, file: string): void {
    const suitesPath = [...path, 'ancestorTitles'];
    const suites = this.json
      .optionalArray(test['ancestorTitles'], suitesPath)
      .map((suite, index) => this.json.string(suite, [...suitesPath, index]));
    const suite = suites.reduce((outer, step) => outer.within(step), this.counter.root.within(file));
    const messagesPath = [...path, 'failureMessages'];
    const messages = this.json.optionalArray(test['failureMessages'], messagesPath);
    this.counter.add({
      name: suite.nameTest(this.json.string(test['title'], [...path, 'title'])),
      outcome: this.readOutcome(test, path, messages.length > 0),
      location: file,
      message: this.json.optionalString(messages[0], [...messagesPath, 0]) ?? '',
    });
  }

  private readOutcome(test: JsonMembers, path: JsonPath, hasFailedOnce: boolean): TestOutcome['outcome'] {
    const status = this.json.readChoice(test['status'], [...path, 'status'], STATUSES);
    if (status === 'failed') return 'failed';
    const attempts = this.json.optionalCount(test['invocations'], [...path, 'invocations']) ?? 1;
    // Jest states the number of attempts, and lists messages of failed ones only. Vitest lists the messages of earlier attempts.
    const wasRepeated = attempts > 1 || (this.isVitest && status === 'passed');
    if (hasFailedOnce && !wasRepeated) return 'failed';
    // In Vitest a deliberately skipped test is `skipped`. A `pending` test did not end before its process did.
    if (status === 'pending' && this.isVitest) this.unended += 1;
    if (status !== 'passed') return 'skipped';
    return attempts > 1 || hasFailedOnce ? 'flaky' : 'passed';
  }
}
