import { MAX_COUNT } from '../../../domain/evidence/evidence.js';
import { excerpt } from './bounded-list.js';
import { type JsonMembers, JsonDocument } from './json-document.js';
import type { JsonPath } from '../../../http/body/json-scanner.js';
import type { ParsedContent, ReportDetail, ReportFormat, ReportLimits } from './report-format.js';
import type { ReportText } from './report-text.js';
import { type SarifRuleGroup, SarifRules } from './sarif-rules.js';
import {
  DEFAULT_LEVEL,
  isAmbiguous,
  mergeReadings,
  NO_RULE,
  readScore,
  SARIF_LEVELS,
  type SarifLevel,
  toSeverity,
} from './sarif-severity.js';
import { type FindingIdentity, type Severity, SeverityCounter } from './finding-list.js';

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
    new SarifReader(new JsonDocument(report, limits), limits).read(),
};

class SarifReader {
  private readonly findings: SeverityCounter;

  constructor(
    private readonly json: JsonDocument,
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

  private run(run: JsonMembers, path: JsonPath): void {
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
    for (const [index, entry] of invocations.entries()) {
      const invocationPath = [...path, 'invocations', index];
      const invocation = this.json.object(entry, invocationPath);
      rules.addOverrides(invocation, invocationPath, index);
      const { failure, errors } = readInvocation(invocation, invocationPath, this.json);
      if (failure !== null) this.findings.failures.add(`${name} ${failure}`);
      for (const error of errors) this.findings.notes.add(`${name} reported an error: ${error}`);
    }

    // § 3.14.23: a run without `results` did not scan. One without findings has an empty array.
    if (run['results'] === undefined || run['results'] === null) {
      this.findings.failures.add(`${name} has no results, not even an empty list: it did not scan`);
      return;
    }
    const resultsPath = [...path, 'results'];
    const remarks = new Map<string, number>();
    const remark = (sentence: string): void => void remarks.set(sentence, (remarks.get(sentence) ?? 0) + 1);
    for (const [index, entry] of this.json.array(run['results'], resultsPath).entries()) {
      const resultPath = [...resultsPath, index];
      this.result(this.json.object(entry, resultPath), resultPath, { tool: name, rules, remark });
    }
    for (const [sentence, count] of remarks) this.findings.notes.add(`${name}: ${count} results ${sentence}`);
  }

  /** Counts a finding, or remarks why it does not count. */
  private result(result: JsonMembers, path: JsonPath, { tool, rules, remark }: SarifRun): void {
    const kind = this.json.readOptionalChoice(result['kind'], [...path, 'kind'], KINDS) ?? 'fail';
    const stated = this.json.readOptionalChoice(result['level'], [...path, 'level'], SARIF_LEVELS) ?? null;
    const baseline = this.json.readOptionalChoice(result['baselineState'], [...path, 'baselineState'], BASELINE_STATES);
    const groups = rules.findRules(result, path);
    const suppressed = this.isSuppressed(result, path);
    const own = readScore(result, path, this.json);
    // § 3.27.10: a result of another kind has the level none. With another level it contradicts itself.
    const isNoFailure = kind !== 'fail' && (stated === null || stated === 'none');

    if (isNoFailure) return remark(`not counted: of kind ${kind}`);
    if (suppressed) return remark('not counted: suppressed');
    if (baseline === 'absent') return remark('not counted: absent since the baseline');
    const isUnrated = stated === 'none' && result['kind'] === 'fail';
    const level = isUnrated ? DEFAULT_LEVEL : (stated ?? rules.invocationLevel(result, path, groups) ?? null);
    const reading = mergeReadings(groups.length === 0 ? [NO_RULE] : groups.map((group) => group.reading));
    const severity = toSeverity(own, level, reading);
    if (severity === null) return remark('not counted: of level none');
    if (isUnrated) remark('counted although of level none: they are of kind fail');
    if (kind !== 'fail') remark(`counted although of kind ${kind}: they have a level`);
    if (own === 'unreadable' || reading.hasUnreadableScore) {
      remark('have a security-severity that is no number: at least medium');
    }
    if (isAmbiguous(own, level, reading)) remark('state several severities: the worst counts');
    const occurrences = this.readOccurrences(result, path);
    if (occurrences > 1) remark('were observed several times: each occurrence counts');
    const identity = this.identify(result, path, tool, groups);
    this.findings.add(severity, identity, () => this.detail(result, path, groups, severity, level), occurrences);
  }

  /** Returns how many times the result was observed in the run (§ 3.27.24): at least once. */
  private readOccurrences(result: JsonMembers, path: JsonPath): number {
    const countPath = [...path, 'occurrenceCount'];
    const count = this.json.optionalCount(result['occurrenceCount'], countPath) ?? 1;
    if (count > MAX_COUNT) throw this.json.errorAt(countPath, `at most ${MAX_COUNT} is expected`);
    return Math.max(1, count);
  }

  /** Returns what tells the finding from others; null if it does not name one rule, or neither a fingerprint nor a file. */
  private identify(
    result: JsonMembers,
    path: JsonPath,
    tool: string,
    groups: readonly SarifRuleGroup[],
  ): FindingIdentity | null {
    const rule = this.ruleId(result, path, groups);
    if (rule === null || new Set(groups.map(({ name }) => name)).size > 1) return null;
    const { file } = this.place(result, path);
    const whole = this.fingerprint(result, path, 'fingerprints');
    const partial = this.fingerprint(result, path, 'partialFingerprints');
    if (whole !== null || partial === null) return { tool, rule, fingerprint: whole, file };
    // § 3.27.17: partial fingerprints do not identify a result by themselves. Equal code in two files has the same ones.
    return file === null ? null : { tool, rule, fingerprint: JSON.stringify([partial, file]), file };
  }

  /** Returns the fingerprints of a result as one text, in an order that does not depend on the file; null if there are none. */
  private fingerprint(result: JsonMembers, path: JsonPath, key: 'fingerprints' | 'partialFingerprints'): string | null {
    const entries = Object.entries(this.json.optionalObject(result[key] ?? undefined, [...path, key]))
      .filter(([, value]) => typeof value === 'string' && value !== '')
      .toSorted(([one], [other]) => (one < other ? -1 : 1));
    return entries.length === 0 ? null : JSON.stringify(entries);
  }

  private ruleId(result: JsonMembers, path: JsonPath, groups: readonly SarifRuleGroup[]): string | null {
    return this.json.optionalString(result['ruleId'], [...path, 'ruleId']) ?? groups[0]?.name ?? null;
  }

  /** A result is suppressed if it has suppressions and none is under review or rejected (§ 3.27.23). */
  private isSuppressed(result: JsonMembers, path: JsonPath): boolean {
    const suppressionsPath = [...path, 'suppressions'];
    const suppressions = this.json.optionalArray(result['suppressions'], suppressionsPath);
    const statuses = suppressions.map((entry, index) => {
      const entryPath = [...suppressionsPath, index];
      const { status } = this.json.object(entry, entryPath);
      return this.json.readOptionalChoice(status, [...entryPath, 'status'], SUPPRESSION_STATUSES) ?? 'accepted';
    });
    return statuses.length > 0 && statuses.every((status) => status === 'accepted');
  }

  private detail(
    result: JsonMembers,
    path: JsonPath,
    groups: readonly SarifRuleGroup[],
    severity: Severity,
    level: SarifLevel | null,
  ): ReportDetail {
    const message = this.json.optionalObject(result['message'], [...path, 'message']);
    const { file, line } = this.place(result, path);
    const id = this.ruleId(result, path, groups)?.slice(0, NAME_LENGTH);
    const text = this.json.optionalString(message['text'] ?? message['id'], [...path, 'message', 'text']);
    return {
      title: excerpt(`${severity}: ${id ?? level ?? DEFAULT_LEVEL}`, NAME_LENGTH),
      location: file === null ? null : excerpt(line === null ? file : `${file}:${line}`, NAME_LENGTH),
      message: excerpt(text ?? '', MESSAGE_LENGTH),
    };
  }

  /** Returns the file and line of the first location. */
  private place(result: JsonMembers, path: JsonPath): { readonly file: string | null; readonly line: number | null } {
    const locationsPath = [...path, 'locations'];
    const [first] = this.json.optionalArray(result['locations'], locationsPath);
    const physicalPath = [...locationsPath, 0, 'physicalLocation'];
    const location = this.json.optionalObject(first, [...locationsPath, 0]);
    const physical = this.json.optionalObject(location['physicalLocation'], physicalPath);
    const { uri } = this.json.optionalObject(physical['artifactLocation'], [...physicalPath, 'artifactLocation']);
    const { startLine } = this.json.optionalObject(physical['region'], [...physicalPath, 'region']);
    return {
      file: typeof uri === 'string' && uri !== '' ? uri : null,
      line: typeof startLine === 'number' ? startLine : null,
    };
  }
}

/** The run of a result. */
interface SarifRun {
  readonly tool: string;
  readonly rules: SarifRules;
  readonly remark: (sentence: string) => void;
}

const NOTE_LENGTH = 300;

/** The result of one process of a run. */
interface InvocationReport {
  /** The failure as the end of a sentence; null if there is none. */
  readonly failure: string | null;
  /** The errors during the run, because of which findings may be missing (SARIF 2.1.0, § 3.20.21). */
  readonly errors: readonly string[];
}

/**
 * Reads an invocation (SARIF 2.1.0, § 3.20). A process that did not start or was killed failed, regardless of its stated result.
 */
function readInvocation(invocation: JsonMembers, path: JsonPath, json: JsonDocument): InvocationReport {
  const { executionSuccessful } = invocation;
  if (typeof executionSuccessful !== 'boolean') {
    throw json.errorAt([...path, 'executionSuccessful'], 'true or false is expected');
  }
  const start = json.optionalString(invocation['processStartFailureMessage'], [...path, 'processStartFailureMessage']);
  const signal = json.optionalString(invocation['exitSignalName'], [...path, 'exitSignalName']);
  const signalNumber = json.optionalCount(invocation['exitSignalNumber'], [...path, 'exitSignalNumber']) ?? 0;
  const failures = [
    ...(executionSuccessful ? [] : ['reports that its run did not succeed']),
    ...(start ? [`did not start: ${excerpt(start, NOTE_LENGTH)}`] : []),
    ...(signal ? [`was ended by ${excerpt(signal, NOTE_LENGTH)}`] : []),
    ...(signalNumber > 0 ? [`was ended by signal ${signalNumber}`] : []),
  ];
  return { failure: failures[0] ?? null, errors: readErrors(invocation, path, json) };
}

function readErrors(invocation: JsonMembers, path: JsonPath, json: JsonDocument): readonly string[] {
  return ['toolExecutionNotifications', 'toolConfigurationNotifications'].flatMap((key) =>
    json.optionalArray(invocation[key], [...path, key]).flatMap((entry, index) => {
      const entryPath = [...path, key, index];
      const notification = json.object(entry, entryPath);
      const level = json.readOptionalChoice(notification['level'], [...entryPath, 'level'], SARIF_LEVELS);
      if (level !== 'error') return [];
      const message = json.optionalObject(notification['message'], [...entryPath, 'message']);
      const text = json.optionalString(message['text'] ?? message['id'], [...entryPath, 'message', 'text']);
      return [excerpt(text ?? 'no message', NOTE_LENGTH)];
    }),
  );
}
