import type { TestOutcome } from '../../../domain/evidence/evidence.js';
import { formatTestName } from '../../../domain/quality/test-results.js';
import { type JsonMembers, JsonDocument } from './json-document.js';
import type { JsonPath } from '../../../http/body/json-scanner.js';
import type { ParsedContent, ReportFormat, ReportLimits } from './report-format.js';
import type { ReportText } from './report-text.js';
import { TestCounter } from './test-counter.js';
import type { TestName, TestSuite } from './test-suite.js';

const TEST_STATUSES = ['expected', 'unexpected', 'flaky', 'skipped'] as const;
const RUN_STATUSES = ['passed', 'failed', 'timedOut', 'skipped', 'interrupted'] as const;

/** The output of Playwright Test's `json` reporter. Counts a test once per project, regardless of its attempts. */
export const playwright: ReportFormat = {
  name: 'playwright',
  title: 'JSON of Playwright',
  defaultKind: 'e2e_tests',

  detect: ({ jsonKeys }) => jsonKeys.has('suites') && jsonKeys.has('config') && jsonKeys.has('errors'),

  read: (report: ReportText, limits: ReportLimits): ParsedContent =>
    new PlaywrightReader(new JsonDocument(report, limits), limits).read(),
};

/** A test of the source code, which runs once in each project. */
interface PlaywrightSpec {
  readonly suite: TestSuite;
  readonly name: TestName;
  readonly location: string | null;
}

/** A run of a test. The first one has the number 0, and each retry the next one. */
interface PlaywrightRun {
  readonly status: (typeof RUN_STATUSES)[number];
  readonly retry: number;
}

class PlaywrightReader {
  private readonly counter: TestCounter;
  /** The number of tests that did not run before the end of the run. A deliberately skipped test is expected to be skipped. */
  private unrun = 0;

  constructor(
    private readonly json: JsonDocument,
    limits: ReportLimits,
  ) {
    this.counter = new TestCounter(limits);
  }

  read(): ParsedContent {
    const run = this.json.object(this.json.root, []);
    this.suites(run['suites'], ['suites'], this.counter.root);
    for (const [index, error] of this.json.optionalArray(run['errors'], ['errors']).entries()) {
      this.counter.fail(`an error outside of the tests: ${this.readMessage(error, ['errors', index])}`);
    }
    if (this.unrun > 0) this.counter.fail(`${this.unrun} tests did not run`);
    const config = this.json.optionalObject(run['config'], ['config']);
    const failsOnFlaky = this.json.optionalBoolean(config['failOnFlakyTests'], ['config', 'failOnFlakyTests']) === true;
    const stats = this.json.optionalObject(run['stats'], ['stats']);
    const count = (name: string): number | null => this.json.optionalCount(stats[name], ['stats', name]);
    const flaky = Math.max(this.counter.flaky, count('flaky') ?? 0);
    if (failsOnFlaky && flaky > 0) this.counter.fail(`${flaky} flaky tests, which fail this run (failOnFlakyTests)`);
    const all = ['expected', 'skipped', 'unexpected', 'flaky'].map(count);
    this.counter.compare({
      tests: all.reduce((sum, part) => (sum === null || part === null ? null : sum + part), 0),
      failed: count('unexpected'),
      skipped: count('skipped'),
    });
    return this.counter.result();
  }

  private suites(value: unknown, path: JsonPath, around: TestSuite): void {
    for (const [index, entry] of this.json.optionalArray(value, path).entries()) {
      const suitePath = [...path, index];
      const suite = this.json.object(entry, suitePath);
      const name = around.within(this.json.string(suite['title'], [...suitePath, 'title']));
      this.specs(suite['specs'], [...suitePath, 'specs'], name);
      this.suites(suite['suites'], [...suitePath, 'suites'], name);
    }
  }

  private specs(value: unknown, path: JsonPath, around: TestSuite): void {
    for (const [index, entry] of this.json.optionalArray(value, path).entries()) {
      const specPath = [...path, index];
      const spec = this.json.object(entry, specPath);
      const name = around.nameTest(this.json.string(spec['title'], [...specPath, 'title']));
      const file = this.json.optionalString(spec['file'], [...specPath, 'file']);
      const line = this.json.optionalCount(spec['line'], [...specPath, 'line']);
      const location = file === undefined ? null : `${file}${line === null ? '' : `:${line}`}`;
      const testsPath = [...specPath, 'tests'];
      const failedBefore = this.counter.failed;
      for (const [at, test] of this.json.array(spec['tests'], testsPath).entries()) {
        this.test(this.json.object(test, [...testsPath, at]), [...testsPath, at], { suite: around, name, location });
      }
      const isOk = this.json.optionalBoolean(spec['ok'], [...specPath, 'ok']) ?? true;
      if (!isOk && this.counter.failed === failedBefore) {
        this.counter.fail(`not ok, and none of its tests failed: ${name.title}`);
      }
    }
  }

  private test(test: JsonMembers, path: JsonPath, { suite, name: ofSpec, location }: PlaywrightSpec): void {
    const project = this.json.optionalString(test['projectName'], [...path, 'projectName']) ?? '';
    const stated = this.json.readChoice(test['status'], [...path, 'status'], TEST_STATUSES);
    const expected = this.json.readChoice(test['expectedStatus'], [...path, 'expectedStatus'], RUN_STATUSES);
    const resultsPath = [...path, 'results'];
    const results = this.json
      .array(test['results'], resultsPath)
      .map((result, index) => this.json.object(result, [...resultsPath, index]));
    const runs = results.map(({ status, retry }, index) => ({
      status: this.json.readChoice(status, [...resultsPath, index, 'status'], RUN_STATUSES),
      retry: this.json.optionalCount(retry, [...resultsPath, index, 'retry']) ?? index,
    }));
    const isOk = this.json.optionalBoolean(test['ok'], [...path, 'ok']) ?? true;
    if (results.length === 0 && expected !== 'skipped') this.unrun += 1;
    const name = suite.nameInProject(ofSpec, project);
    // A soft assertion fails its test, so a passed run has no error.
    const hasError = results.some(
      ({ status, error, errors }, index) =>
        status === 'passed' &&
        ((error !== undefined && error !== null) ||
          this.json.optionalArray(errors, [...resultsPath, index, 'errors']).length > 0),
    );
    // Playwright reports a test as skipped if it was interrupted before it had a result.
    if (lastRuns(runs).some(({ status }) => status === 'interrupted')) {
      this.counter.fail(`interrupted: ${formatTestName(name.suites, name.test)}`);
    }
    const last = results.length - 1;
    this.counter.add({
      name,
      outcome: hasError || !isOk ? 'failed' : toOutcome(stated, expected, runs),
      location,
      message: last < 0 ? '' : this.readMessage(results[last]?.['error'], [...resultsPath, last, 'error']),
    });
  }

  private readMessage(error: unknown, path: JsonPath): string {
    const { message, value } = this.json.optionalObject(error ?? undefined, path);
    const text = message ?? value;
    return typeof text === 'string' ? text : 'no reason given';
  }
}

/** Returns the outcome of a test by its attempts if it is worse than its stated status. */
function toOutcome(
  stated: (typeof TEST_STATUSES)[number],
  expected: (typeof RUN_STATUSES)[number],
  runs: readonly PlaywrightRun[],
): TestOutcome['outcome'] {
  const finished = runs.filter(({ status }) => status !== 'skipped' && status !== 'interrupted');
  if (stated === 'unexpected' || lastRuns(finished).some(({ status }) => status !== expected)) return 'failed';
  if (stated === 'skipped' || finished.length === 0) return 'skipped';
  return stated === 'flaky' || finished.some(({ status }) => status !== expected) ? 'flaky' : 'passed';
}

/** Returns the last run by its position, and every run with the highest number. */
function lastRuns(runs: readonly PlaywrightRun[]): readonly PlaywrightRun[] {
  const highest = runs.reduce((most, { retry }) => Math.max(most, retry), 0);
  return runs.filter(({ retry }, index) => retry === highest || index === runs.length - 1);
}
