import type { TestOutcome } from '../../../domain/evidence/evidence.js';
import { type JsonObject, JsonReader } from './json-document.js';
import type { JsonPath } from './json-scanner.js';
import type { ParsedContent, ReportFormat, ReportLimits } from './report-format.js';
import type { ReportText } from './report-text.js';
import { TestCounter } from './test-counter.js';

const STATUSES = ['passed', 'failed', 'pending', 'skipped', 'todo', 'disabled'] as const;

/** The output of `jest --json` and of Vitest's `json` reporter, which differ in how they report retries. */
export const jestJson: ReportFormat = {
  name: 'jest',
  title: 'JSON of Jest',
  defaultKind: 'unit_tests',

  detect: ({ jsonKeys }) => jsonKeys.has('testResults') && jsonKeys.has('numTotalTests'),

  read: (report: ReportText, limits: ReportLimits): ParsedContent =>
    new JestReader(new JsonReader(report, limits), limits).read(),
};

class JestReader {
  private readonly counter: TestCounter;
  private isVitest = false;
  /** The number of tests of Vitest that did not end before their process did. */
  private unended = 0;

  constructor(
    private readonly json: JsonReader,
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

  private file(file: JsonObject, path: JsonPath): void {
    const name = this.json.string(file['name'], [...path, 'name']);
    const before = this.counter.failed;
    const testsPath = [...path, 'assertionResults'];
    const tests = this.json.array(file['assertionResults'], testsPath);
    for (const [index, test] of tests.entries()) {
      this.test(this.json.object(test, [...testsPath, index]), [...testsPath, index], name);
    }
    const { status } = file;
    // Jest fails a file without tests. Vitest reports a file that did not run as passed.
    if (tests.length === 0 && status !== 'failed' && status !== 'skipped') {
      this.counter.fail(`${name} contains no test: it did not run`);
    }
    if (status !== 'failed' || this.counter.failed > before) return;
    const message = this.json.optionalString(file['message'], [...path, 'message']) ?? '';
    this.counter.fail(`${name} failed outside of its tests: ${message.trim() || 'no reason given'}`);
  }

  private test(test: JsonObject, path: JsonPath, file: string): void {
    const suitesPath = [...path, 'ancestorTitles'];
    const suites = this.json
      .optionalArray(test['ancestorTitles'], suitesPath)
      .map((suite, index) => this.json.string(suite, [...suitesPath, index]));
    const messagesPath = [...path, 'failureMessages'];
    const messages = this.json.optionalArray(test['failureMessages'], messagesPath);
    this.counter.add({
      steps: [file, ...suites, this.json.string(test['title'], [...path, 'title'])],
      outcome: this.readOutcome(test, path, messages.length > 0),
      location: file,
      message: this.json.optionalString(messages[0], [...messagesPath, 0]) ?? '',
    });
  }

  private readOutcome(test: JsonObject, path: JsonPath, hasFailedOnce: boolean): TestOutcome['outcome'] {
    const status = this.json.readChoice(test['status'], [...path, 'status'], STATUSES);
    if (status === 'failed') return 'failed';
    // In Vitest a deliberately skipped test is `skipped`. A `pending` test did not end before its process did.
    if (status === 'pending' && this.isVitest) this.unended += 1;
    if (status !== 'passed') return 'skipped';
    // Jest states the number of attempts. Vitest lists the messages of earlier attempts.
    const attempts = this.json.optionalCount(test['invocations'], [...path, 'invocations']) ?? 1;
    return attempts > 1 || hasFailedOnce ? 'flaky' : 'passed';
  }
}
