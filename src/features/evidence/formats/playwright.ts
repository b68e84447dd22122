import type { TestOutcome } from '../../../domain/evidence/evidence.js';
import { type JsonObject, JsonReader } from './json-document.js';
import type { JsonPath } from './json-scanner.js';
import type { ParsedContent, ReportFormat, ReportLimits } from './report-format.js';
import type { ReportText } from './report-text.js';
import { TestCounter } from './test-counter.js';

const TEST_STATUSES = ['expected', 'unexpected', 'flaky', 'skipped'] as const;
const RUN_STATUSES = ['passed', 'failed', 'timedOut', 'skipped', 'interrupted'] as const;

/** The output of Playwright Test's `json` reporter. Counts a test once per project, regardless of its attempts. */
export const playwright: ReportFormat = {
  name: 'playwright',
  title: 'JSON of Playwright',
  defaultKind: 'e2e_tests',

  detect: ({ jsonKeys }) => jsonKeys.has('suites') && jsonKeys.has('config') && jsonKeys.has('errors'),

  read: (report: ReportText, limits: ReportLimits): ParsedContent =>
    new PlaywrightReader(new JsonReader(report, limits), limits).read(),
};

class PlaywrightReader {
  private readonly counter: TestCounter;
  /** The number of tests that did not run before the end of the run. A deliberately skipped test is expected to be skipped. */
  private unrun = 0;

  constructor(
    private readonly json: JsonReader,
    limits: ReportLimits,
  ) {
    this.counter = new TestCounter(limits);
  }

  read(): ParsedContent {
    const run = this.json.object(this.json.root, []);
    this.suites(run['suites'], ['suites'], []);
    for (const [index, error] of this.json.optionalArray(run['errors'], ['errors']).entries()) {
      this.counter.fail(`an error outside of the tests: ${this.readMessage(error, ['errors', index])}`);
    }
    if (this.unrun > 0) this.counter.fail(`${this.unrun} tests did not run`);
    const config = this.json.optionalObject(run['config'], ['config']);
    const failsOnFlaky = this.json.optionalBoolean(config['failOnFlakyTests'], ['config', 'failOnFlakyTests']) === true;
    if (failsOnFlaky && this.counter.flaky > 0) {
      this.counter.fail(`${this.counter.flaky} flaky tests, which fail this run (failOnFlakyTests)`);
    }
    const stats = this.json.optionalObject(run['stats'], ['stats']);
    const count = (name: string): number | null => this.json.optionalCount(stats[name], ['stats', name]);
    const all = ['expected', 'skipped', 'unexpected', 'flaky'].map(count);
    this.counter.compare({
      tests: all.reduce((sum, part) => (sum === null || part === null ? null : sum + part), 0),
      failed: count('unexpected'),
      skipped: count('skipped'),
    });
    return this.counter.result();
  }

  private suites(value: unknown, path: JsonPath, around: readonly string[]): void {
    for (const [index, entry] of this.json.optionalArray(value, path).entries()) {
      const suitePath = [...path, index];
      const suite = this.json.object(entry, suitePath);
      const steps = [...around, this.json.string(suite['title'], [...suitePath, 'title'])];
      this.specs(suite['specs'], [...suitePath, 'specs'], steps);
      this.suites(suite['suites'], [...suitePath, 'suites'], steps);
    }
  }

  private specs(value: unknown, path: JsonPath, around: readonly string[]): void {
    for (const [index, entry] of this.json.optionalArray(value, path).entries()) {
      const specPath = [...path, index];
      const spec = this.json.object(entry, specPath);
      const steps = [...around, this.json.string(spec['title'], [...specPath, 'title'])];
      const file = this.json.optionalString(spec['file'], [...specPath, 'file']);
      const line = this.json.optionalCount(spec['line'], [...specPath, 'line']);
      const location = file === undefined ? null : `${file}${line === null ? '' : `:${line}`}`;
      const testsPath = [...specPath, 'tests'];
      for (const [at, test] of this.json.array(spec['tests'], testsPath).entries()) {
        this.test(this.json.object(test, [...testsPath, at]), [...testsPath, at], steps, location);
      }
    }
  }

  private test(test: JsonObject, path: JsonPath, steps: readonly string[], location: string | null): void {
    const project = this.json.optionalString(test['projectName'], [...path, 'projectName']) ?? '';
    const stated = this.json.readChoice(test['status'], [...path, 'status'], TEST_STATUSES);
    const expected = this.json.readChoice(test['expectedStatus'], [...path, 'expectedStatus'], RUN_STATUSES);
    const resultsPath = [...path, 'results'];
    const results = this.json
      .array(test['results'], resultsPath)
      .map((result, index) => this.json.object(result, [...resultsPath, index]));
    const statuses = results.map(({ status }, index) =>
      this.json.readChoice(status, [...resultsPath, index, 'status'], RUN_STATUSES),
    );
    if (results.length === 0 && expected !== 'skipped') this.unrun += 1;
    const names = [project, ...steps];
    // Playwright reports a test as skipped if it was interrupted before it had a result.
    if (statuses.at(-1) === 'interrupted') this.counter.fail(`interrupted: ${names.filter(Boolean).join(' › ')}`);
    const last = results.length - 1;
    this.counter.add({
      steps: names,
      outcome: toOutcome(stated, expected, statuses),
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
  statuses: readonly (typeof RUN_STATUSES)[number][],
): TestOutcome['outcome'] {
  const finished = statuses.filter((status) => status !== 'skipped' && status !== 'interrupted');
  const last = finished.at(-1);
  if (stated === 'unexpected' || (last !== undefined && last !== expected)) return 'failed';
  if (stated === 'skipped' || last === undefined) return 'skipped';
  return stated === 'flaky' || finished.some((status) => status !== expected) ? 'flaky' : 'passed';
}
