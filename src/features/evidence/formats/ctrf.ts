import type { TestOutcome } from '../../../domain/evidence/evidence.js';
import { isFailedStatus, TestCounter } from './test-counter.js';
import { type JsonMembers, JsonDocument } from './json-document.js';
import type { JsonPath } from '../../../http/body/json-scanner.js';
import type { ParsedContent, ReportFormat, ReportLimits } from './report-format.js';
import type { ReportText } from './report-text.js';

const STATUSES = ['passed', 'failed', 'skipped', 'pending', 'other'] as const;

/** Raw statuses of skipped tests that tools report as `other`. */
const SKIPPED_STATUS = /^(?:todo|pending|skipped|disabled|fixme)$/i;

/** Common Test Report Format (ctrf.io), also without `reportFormat`, which its first reporters omitted. */
export const ctrf: ReportFormat = {
  name: 'ctrf',
  title: 'a CTRF report',
  defaultKind: 'unit_tests',

  detect: ({ jsonKeys }) => jsonKeys.has('results') && (jsonKeys.has('reportFormat') || jsonKeys.size === 1),

  read: (report: ReportText, limits: ReportLimits): ParsedContent =>
    new CtrfReader(new JsonDocument(report, limits), limits).read(),
};

class CtrfReader {
  private readonly counter: TestCounter;
  /** Whether the reporter of Playwright wrote it. It reports a test that was expected to fail as passed, with its raw status. */
  private isPlaywright = false;
  /** The number of tests of the status `other`. */
  private others = 0;

  constructor(
    private readonly json: JsonDocument,
    limits: ReportLimits,
  ) {
    this.counter = new TestCounter(limits);
  }

  read(): ParsedContent {
    const document = this.json.object(this.json.root, []);
    if (this.json.readOptionalChoice(document['reportFormat'], ['reportFormat'], ['CTRF']) === undefined) {
      this.counter.notes.add('the report does not name its format');
    }
    const results = this.json.object(document['results'], ['results']);
    const tool = this.json.optionalObject(results['tool'], ['results', 'tool']);
    this.isPlaywright = tool['name'] === 'playwright';
    const path = ['results', 'tests'];
    for (const [index, test] of this.json.array(results['tests'], path).entries()) {
      this.test(this.json.object(test, [...path, index]), [...path, index]);
    }
    this.compare(results);
    this.readErrors(results);
    return this.counter.result();
  }

  /** Playwright's reporter lists errors that belong to no test, such as those of a global setup. */
  private readErrors(results: JsonMembers): void {
    const path = ['results', 'extra'];
    const extra = this.json.optionalObject(results['extra'], path);
    const errors = Array.isArray(extra['errors']) ? extra['errors'].length : 0;
    if (errors > 0) this.counter.fail(`the report states ${errors} error${errors === 1 ? '' : 's'} of the run`);
  }

  private test(test: JsonMembers, path: JsonPath): void {
    const status = this.json.readChoice(test['status'], [...path, 'status'], STATUSES);
    if (status === 'other') this.others += 1;
    const name = this.json.string(test['name'], [...path, 'name']);
    const file = this.json.optionalString(test['filePath'], [...path, 'filePath']);
    const suites = this.suites(test['suite'], [...path, 'suite'], file);
    const suite = suites.reduce((outer, step) => outer.within(step), this.counter.root);
    const message = this.json.optionalString(test['message'], [...path, 'message']);
    const trace = this.json.optionalString(test['trace'], [...path, 'trace']);
    this.counter.add({
      name: suite.nameTest(name),
      outcome: this.readOutcome(test, path, status),
      location: file ?? null,
      message: message ?? trace ?? (status === 'other' ? 'neither passed nor failed' : ''),
    });
  }

  private readOutcome(test: JsonMembers, path: JsonPath, status: (typeof STATUSES)[number]): TestOutcome['outcome'] {
    const raw = this.json.optionalString(test['rawStatus'], [...path, 'rawStatus']) ?? '';
    const isExpectedFailure = this.isPlaywright && status === 'passed';
    if (isFailedStatus(raw) && !isExpectedFailure) return 'failed';
    if (status === 'skipped' || status === 'pending') return 'skipped';
    if (status === 'other') {
      // Any other outcome, such as an interrupted test, is not a success.
      return SKIPPED_STATUS.test(raw) ? 'skipped' : 'failed';
    }
    if (status === 'failed') return 'failed';
    const steps = this.json.optionalArray(test['steps'], [...path, 'steps']);
    const hasFailedStep = steps.some((step, index) => this.isFailedStep(step, [...path, 'steps', index]));
    // The raw status of an expected failure explains its failed steps.
    return hasFailedStep && !isFailedStatus(raw) ? 'failed' : this.readRetries(test, path);
  }

  /** A failed step contradicts a passed test, although the test states its own status. */
  private isFailedStep(value: unknown, path: JsonPath): boolean {
    const step = this.json.object(value, path);
    return isFailedStatus(this.json.optionalString(step['status'], [...path, 'status']) ?? '');
  }

  /** Returns the outcome of a passed test by its attempts. */
  private readRetries(test: JsonMembers, path: JsonPath): 'passed' | 'failed' | 'flaky' {
    const retries = this.json.optionalCount(test['retries'], [...path, 'retries']);
    const isFlaky = this.json.optionalBoolean(test['flaky'], [...path, 'flaky']) === true;
    const attemptsPath = [...path, 'retryAttempts'];
    const attempts = this.json.optionalArray(test['retryAttempts'], attemptsPath).map((value, index) => {
      const attempt = this.json.object(value, [...attemptsPath, index]);
      const number = this.json.optionalCount(attempt['attempt'], [...attemptsPath, index, 'attempt']) ?? index + 1;
      return { number, hasPassed: attempt['status'] === 'passed' };
    });
    const wasRepeated = isFlaky || (retries ?? 0) > 0;
    // Playwright's reporter marks a test as flaky that passed but was expected to fail.
    if (attempts.every(({ hasPassed }) => hasPassed)) {
      return wasRepeated ? (attempts.length === 0 ? 'flaky' : 'failed') : 'passed';
    }
    // Some reporters list the attempt that decides, some list only those before it. Then something else states a further one.
    const highest = attempts.reduce((most, { number }) => Math.max(most, number), attempts.length);
    const isDecided = retries === null ? !isFlaky : highest > retries;
    const last = attempts.filter(({ number }, index) => number === highest || index === attempts.length - 1);
    return isDecided && last.some(({ hasPassed }) => !hasPassed) ? 'failed' : 'flaky';
  }

  /** Reads the suites, outermost first. Before version 1 of the format this is one string. Without suites the file is used. */
  private suites(value: unknown, path: JsonPath, file: string | undefined): readonly string[] {
    if (typeof value === 'string') return [value];
    const suites = this.json.optionalArray(value, path);
    if (suites.length === 0) return file === undefined ? [] : [file];
    return suites.map((suite, index) => this.json.string(suite, [...path, index]));
  }

  private compare(results: JsonMembers): void {
    const path = ['results', 'summary'];
    const summary = this.json.optionalObject(results['summary'], path);
    const count = (name: string): number | null => this.json.optionalCount(summary[name], [...path, name]);
    const total = (...names: readonly string[]): number | null =>
      names.reduce<number | null>((sum, name) => {
        const value = count(name);
        return value === null ? sum : (sum ?? 0) + value;
      }, null);
    const others = count('other') ?? 0;
    if (others > this.others) {
      this.counter.fail(`the report states ${others} tests of another status, ${this.others} listed`);
    }
    this.counter.compare({
      tests: count('tests'),
      failed: count('failed'),
      // `other` may include skipped tests.
      skipped: others > 0 ? null : total('skipped', 'pending'),
    });
  }
}
