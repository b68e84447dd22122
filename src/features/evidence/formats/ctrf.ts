import type { TestOutcome } from '../../../domain/evidence/evidence.js';
import { type JsonObject, JsonReader } from './json-document.js';
import type { JsonPath } from './json-scanner.js';
import type { ParsedContent, ReportFormat, ReportLimits } from './report-format.js';
import type { ReportText } from './report-text.js';
import { TestCounter } from './test-counter.js';

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
    new CtrfReader(new JsonReader(report, limits), limits).read(),
};

class CtrfReader {
  private readonly counter: TestCounter;

  constructor(
    private readonly json: JsonReader,
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
    const path = ['results', 'tests'];
    for (const [index, test] of this.json.array(results['tests'], path).entries()) {
      this.test(this.json.object(test, [...path, index]), [...path, index]);
    }
    this.compare(results);
    return this.counter.result();
  }

  private test(test: JsonObject, path: JsonPath): void {
    const status = this.json.readChoice(test['status'], [...path, 'status'], STATUSES);
    const name = this.json.string(test['name'], [...path, 'name']);
    const file = this.json.optionalString(test['filePath'], [...path, 'filePath']);
    const message = this.json.optionalString(test['message'], [...path, 'message']);
    const trace = this.json.optionalString(test['trace'], [...path, 'trace']);
    this.counter.add({
      steps: [...this.suites(test['suite'], [...path, 'suite'], file), name],
      outcome: this.readOutcome(test, path, status),
      location: file ?? null,
      message: message ?? trace ?? (status === 'other' ? 'neither passed nor failed' : ''),
    });
  }

  private readOutcome(test: JsonObject, path: JsonPath, status: (typeof STATUSES)[number]): TestOutcome['outcome'] {
    if (status === 'skipped' || status === 'pending') return 'skipped';
    if (status === 'other') {
      // Any other outcome, such as an interrupted test, is not a success.
      const raw = this.json.optionalString(test['rawStatus'], [...path, 'rawStatus']) ?? '';
      return SKIPPED_STATUS.test(raw) ? 'skipped' : 'failed';
    }
    const retries = this.json.optionalCount(test['retries'], [...path, 'retries']) ?? 0;
    const isFlaky = this.json.optionalBoolean(test['flaky'], [...path, 'flaky']) ?? retries > 0;
    if (status === 'failed' || !isFlaky) return status;
    // Playwright's reporter marks a test as flaky that passed but was expected to fail.
    const attemptsPath = [...path, 'retryAttempts'];
    const attempts = this.json
      .optionalArray(test['retryAttempts'], attemptsPath)
      .map((attempt, index) => this.json.object(attempt, [...attemptsPath, index])['status']);
    return attempts.length > 0 && attempts.every((attempt) => attempt === 'passed') ? 'failed' : 'flaky';
  }

  /** Reads the suites, outermost first. Before version 1 of the format this is one string. Without suites the file is used. */
  private suites(value: unknown, path: JsonPath, file: string | undefined): readonly string[] {
    if (typeof value === 'string') return [value];
    const suites = this.json.optionalArray(value, path);
    if (suites.length === 0) return file === undefined ? [] : [file];
    return suites.map((suite, index) => this.json.string(suite, [...path, index]));
  }

  private compare(results: JsonObject): void {
    const path = ['results', 'summary'];
    const summary = this.json.optionalObject(results['summary'], path);
    const count = (name: string): number | null => this.json.optionalCount(summary[name], [...path, name]);
    const total = (...names: readonly string[]): number | null =>
      names.reduce<number | null>((sum, name) => {
        const value = count(name);
        return value === null ? sum : (sum ?? 0) + value;
      }, null);
    this.counter.compare({
      tests: count('tests'),
      failed: count('failed'),
      // `other` may include skipped tests.
      skipped: (count('other') ?? 0) > 0 ? null : total('skipped', 'pending'),
    });
  }
}
