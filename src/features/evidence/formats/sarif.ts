import { excerpt } from './bounded-list.js';
import { type JsonObject, JsonReader } from './json-document.js';
import type { JsonPath } from './json-scanner.js';
import type { ParsedContent, ReportDetail, ReportFormat, ReportLimits } from './report-format.js';
import type { ReportText } from './report-text.js';
import {
  readInvocation,
  SARIF_LEVELS,
  type SarifLevel,
  type SarifRule,
  SarifRules,
  toSeverity,
} from './sarif-rules.js';
import { SeverityCounter, type Severity } from './severity-counter.js';

const KINDS = ['notApplicable', 'pass', 'fail', 'review', 'open', 'informational'] as const;
const SUPPRESSION_STATUSES = ['accepted', 'underReview', 'rejected'] as const;
const BASELINE_STATES = ['new', 'unchanged', 'updated', 'absent'] as const;
const NAME_LENGTH = 300;
const MESSAGE_LENGTH = 1_000;

/** SARIF 2.1.0 (OASIS): the findings of static analysis by severity. */
export const sarif: ReportFormat = {
  name: 'sarif',
  title: 'SARIF',
  defaultKind: 'sast_scan',

  detect: ({ jsonKeys }) => jsonKeys.has('runs') && (jsonKeys.has('version') || jsonKeys.has('$schema')),

  read: (report: ReportText, limits: ReportLimits): ParsedContent =>
    new SarifReader(new JsonReader(report, limits), limits).read(),
};

class SarifReader {
  private readonly findings: SeverityCounter;

  constructor(
    private readonly json: JsonReader,
    limits: ReportLimits,
  ) {
    this.findings = new SeverityCounter(limits);
  }

  read(): ParsedContent {
    const log = this.json.object(this.json.root, []);
    if (this.json.optionalArray(log['inlineExternalProperties'], ['inlineExternalProperties']).length > 0) {
      throw this.json.errorAt(['inlineExternalProperties'], 'external properties are not supported');
    }
    if (log['version'] !== '2.1.0') throw this.json.errorAt(['version'], 'version 2.1.0 is expected');
    const runs = this.json.array(log['runs'], ['runs']);
    if (runs.length === 0) throw this.json.errorAt(['runs'], 'no run: nothing was scanned');
    for (const [index, run] of runs.entries()) this.run(this.json.object(run, ['runs', index]), ['runs', index]);
    return this.findings.result();
  }

  private run(run: JsonObject, path: JsonPath): void {
    const tool = this.json.object(run['tool'], [...path, 'tool']);
    const driverPath = [...path, 'tool', 'driver'];
    const driver = this.json.object(tool['driver'], driverPath);
    const name = excerpt(this.json.string(driver['name'], [...driverPath, 'name']), NAME_LENGTH);
    const rules = new SarifRules(this.json, tool, [...path, 'tool']);

    const externalPath = [...path, 'externalPropertyFileReferences'];
    const external = this.json.optionalObject(run['externalPropertyFileReferences'], externalPath);
    if (this.json.optionalArray(external['results'], [...externalPath, 'results']).length > 0) {
      this.findings.failures.add(`${name} stores results in another file`);
    }

    const invocations = this.json.optionalArray(run['invocations'], [...path, 'invocations']);
    for (const [index, invocation] of invocations.entries()) {
      const invocationPath = [...path, 'invocations', index];
      const { failure, errors } = readInvocation(
        this.json.object(invocation, invocationPath),
        invocationPath,
        this.json,
      );
      if (failure !== null) this.findings.failures.add(`${name} ${failure}`);
      for (const error of errors) this.findings.notes.add(`${name} reported an error: ${error}`);
    }

    // § 3.14.23: a run without `results` did not scan. One without findings has an empty array.
    if (run['results'] === undefined || run['results'] === null) {
      this.findings.failures.add(`${name} has no results, not even an empty list: it did not scan`);
      return;
    }
    const resultsPath = [...path, 'results'];
    const ignored = new Map<string, number>();
    for (const [index, entry] of this.json.array(run['results'], resultsPath).entries()) {
      const resultPath = [...resultsPath, index];
      const reason = this.result(this.json.object(entry, resultPath), resultPath, rules);
      if (reason !== null) ignored.set(reason, (ignored.get(reason) ?? 0) + 1);
    }
    for (const [why, count] of ignored) this.findings.notes.add(`${name}: ${count} results not counted: ${why}`);
  }

  /** Counts a finding. Returns the reason if it does not count. */
  private result(result: JsonObject, path: JsonPath, rules: SarifRules): string | null {
    const kind = this.json.readOptionalChoice(result['kind'], [...path, 'kind'], KINDS) ?? 'fail';
    const stated = this.json.readOptionalChoice(result['level'], [...path, 'level'], SARIF_LEVELS);
    const baseline = this.json.readOptionalChoice(result['baselineState'], [...path, 'baselineState'], BASELINE_STATES);
    const rule = rules.findRule(result, path);
    const suppressed = this.isSuppressed(result, path);
    const score = this.score(result, path) ?? (rule === null ? null : this.score(rule.descriptor, rule.path));
    const level = stated ?? (rule === null ? undefined : rules.defaultLevel(rule)) ?? 'warning';

    if (kind !== 'fail') return `of kind ${kind}`;
    if (suppressed) return 'suppressed';
    if (baseline === 'absent') return 'absent since the baseline';
    const severity = toSeverity(score, level);
    if (severity === null) return 'of level none';
    this.findings.add(severity, () => this.detail(result, path, rule, severity, level));
    return null;
  }

  /** A result is suppressed if it has suppressions and none is under review or rejected (§ 3.27.23). */
  private isSuppressed(result: JsonObject, path: JsonPath): boolean {
    const suppressionsPath = [...path, 'suppressions'];
    const suppressions = this.json.optionalArray(result['suppressions'], suppressionsPath);
    const statuses = suppressions.map((entry, index) => {
      const entryPath = [...suppressionsPath, index];
      const { status } = this.json.object(entry, entryPath);
      return this.json.readOptionalChoice(status, [...entryPath, 'status'], SUPPRESSION_STATUSES) ?? 'accepted';
    });
    return statuses.length > 0 && statuses.every((status) => status === 'accepted');
  }

  /** Reads `security-severity` of a property bag: a decimal from 0 to 10, as a string (GitHub's convention) or a number. */
  private score(owner: JsonObject, path: JsonPath): number | null {
    const propertiesPath = [...path, 'properties'];
    const value = this.json.optionalObject(owner['properties'], propertiesPath)['security-severity'];
    if (value === undefined || value === null || value === '') return null;
    const score = typeof value === 'string' && /^\d{1,3}(?:\.\d{1,15})?$/.test(value.trim()) ? Number(value) : value;
    if (typeof score === 'number' && score >= 0 && score <= 10) return score;
    throw this.json.errorAt([...propertiesPath, 'security-severity'], 'a number from 0 to 10 is expected');
  }

  private detail(
    result: JsonObject,
    path: JsonPath,
    rule: SarifRule | null,
    severity: Severity,
    level: SarifLevel,
  ): ReportDetail {
    const message = this.json.optionalObject(result['message'], [...path, 'message']);
    const id = this.json.optionalString(result['ruleId'], [...path, 'ruleId']) ?? rule?.descriptor['id'];
    const text = this.json.optionalString(message['text'] ?? message['id'], [...path, 'message', 'text']);
    return {
      title: excerpt(`${severity}: ${typeof id === 'string' ? id : level}`, NAME_LENGTH),
      location: this.location(result, path),
      message: excerpt(text ?? '', MESSAGE_LENGTH),
    };
  }

  /** Returns the first location as `path:line`; null if there is none. */
  private location(result: JsonObject, path: JsonPath): string | null {
    const locationsPath = [...path, 'locations'];
    const [first] = this.json.optionalArray(result['locations'], locationsPath);
    const physicalPath = [...locationsPath, 0, 'physicalLocation'];
    const location = this.json.optionalObject(first, [...locationsPath, 0]);
    const physical = this.json.optionalObject(location['physicalLocation'], physicalPath);
    const { uri } = this.json.optionalObject(physical['artifactLocation'], [...physicalPath, 'artifactLocation']);
    const { startLine } = this.json.optionalObject(physical['region'], [...physicalPath, 'region']);
    if (typeof uri !== 'string') return null;
    return excerpt(typeof startLine === 'number' ? `${uri}:${startLine}` : uri, NAME_LENGTH);
  }
}
