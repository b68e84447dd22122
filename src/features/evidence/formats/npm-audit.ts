import { formatOverflow, excerpt, createMessageList } from './bounded-list.js';
import { type JsonObject, JsonReader } from './json-document.js';
import type { JsonPath } from './json-scanner.js';
import type { ParsedContent, ReportDetail, ReportFormat, ReportLimits } from './report-format.js';
import type { ReportText } from './report-text.js';
import { SeverityCounter, type Severity } from './severity-counter.js';

const NAME_LENGTH = 300;
const MESSAGE_LENGTH = 1_000;

const NPM_SEVERITIES = ['critical', 'high', 'moderate', 'low', 'info'] as const;
type NpmSeverity = (typeof NPM_SEVERITIES)[number];

const SEVERITY_OF: Readonly<Record<NpmSeverity, Severity>> = {
  critical: 'critical',
  high: 'high',
  moderate: 'medium',
  low: 'low',
  info: 'low',
};

/** The keys of what npm and pnpm print instead of a report where they could not audit. */
const ERROR_KEYS: ReadonlySet<string> = new Set(['error', 'message', 'method', 'uri', 'headers', 'statusCode', 'body']);

/**
 * `npm audit --json`: report version 2, one entry for each vulnerable package, and the older version 1, one for each
 * advisory, which pnpm still writes. What npm prints where it could not audit is a report that failed.
 */
export const npmAudit: ReportFormat = {
  name: 'npm-audit',
  title: 'npm audit JSON',
  defaultKind: 'security',

  detect: ({ jsonKeys }) =>
    jsonKeys.has('auditReportVersion') || (jsonKeys.has('advisories') && jsonKeys.has('metadata')) || isError(jsonKeys),

  read: (report: ReportText, limits: ReportLimits): ParsedContent =>
    new NpmAuditReader(new JsonReader(report, limits), limits).read(isError(report.jsonKeys)),
};

function isError(keys: ReadonlySet<string>): boolean {
  const isAnswer = keys.has('statusCode') && keys.has('uri');
  return (keys.has('error') || isAnswer) && [...keys].every((key) => ERROR_KEYS.has(key));
}

class NpmAuditReader {
  private readonly findings: SeverityCounter;
  private readonly listed: Record<NpmSeverity, number> = { critical: 0, high: 0, moderate: 0, low: 0, info: 0 };
  private counted = 0;
  private readonly failures = createMessageList();
  private readonly notes = createMessageList();

  constructor(
    private readonly json: JsonReader,
    limits: ReportLimits,
  ) {
    this.findings = new SeverityCounter(limits);
  }

  read(isError: boolean): ParsedContent {
    const root = this.json.object(this.json.root, []);
    if (isError) this.failures.add(`npm could not audit: ${this.reasonOf(root)}`);
    else this.report(root);
    return {
      measure: this.findings.measure,
      failures: this.failures.withRest(formatOverflow),
      notes: this.notes.withRest(formatOverflow),
      details: this.findings.details,
    };
  }

  private report(root: JsonObject): void {
    const version = root['auditReportVersion'];
    if (version === undefined) this.entries(root, 'advisories', detailOfAdvisory);
    else if (version === 2) this.entries(root, 'vulnerabilities', detailOfPackage);
    else throw this.json.errorAt(['auditReportVersion'], 'version 2 is expected');
    if (root['error'] !== undefined) this.failures.add(`npm could not audit: ${this.reasonOf(root)}`);
    this.totals(this.json.object(root['metadata'], ['metadata']));
  }

  private entries(
    root: JsonObject,
    key: string,
    detailOf: (entry: JsonObject, name: string) => DisplayedFinding,
  ): void {
    for (const [name, value] of Object.entries(this.json.object(root[key], [key]))) {
      const path = [key, name];
      const entry = this.json.object(value, path);
      const severity = this.severity(entry['severity'], [...path, 'severity']);
      this.listed[severity] += 1;
      this.findings.add(SEVERITY_OF[severity], () => toDetail(severity, detailOf(entry, name)));
    }
  }

  /**
   * Version 1 counts each way to a vulnerable package, so its totals may be above what it lists. The greater number
   * counts: a finding may be told twice, and none may be lost.
   */
  private totals(metadata: JsonObject): void {
    const path = ['metadata', 'vulnerabilities'];
    const stated = this.json.object(metadata['vulnerabilities'], path);
    for (const severity of NPM_SEVERITIES) {
      const count = stated[severity] ?? 0;
      if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0) {
        throw this.json.errorAt([...path, severity], 'a count is expected');
      }
      const listed = this.listed[severity];
      if (count !== listed)
        this.notes.add(`${count} ${severity} vulnerabilities stated, ${listed} listed; the greater number counts`);
      this.counted += Math.max(count, listed);
      if (count > listed) this.findings.raise(SEVERITY_OF[severity], count - listed);
    }
    const total = this.json.optionalCount(stated['total'], [...path, 'total']) ?? 0;
    if (total > this.counted) this.failures.add(`${total} vulnerabilities in all, of which ${this.counted} are told`);
    // What npm audits in the wrong folder looks like this, too.
    if (auditedOf(metadata) === 0) this.failures.add('no dependency was audited');
  }

  private severity(value: unknown, path: JsonPath): NpmSeverity {
    const severity = this.json.optionalOneOf(value, path, NPM_SEVERITIES);
    if (severity === undefined) throw this.json.errorAt(path, `one of ${NPM_SEVERITIES.join(', ')} is expected`);
    return severity;
  }

  /** The answer of the registry, or the error of npm or pnpm, in one line. */
  private reasonOf(root: JsonObject): string {
    const error = this.json.optionalObject(root['error'], ['error']);
    const texts = [error['code'], error['summary'], error['message'], error['detail'], root['message']];
    const reasons = texts.filter((text) => typeof text === 'string' && text !== '');
    if (reasons.length === 0) throw this.json.errorAt([], 'neither a result of npm audit, nor why there is none');
    return excerpt(reasons.slice(0, 2).join(': ').replaceAll(/\s+/g, ' '), NAME_LENGTH);
  }
}

/** How many dependencies were looked at: version 2 has an object where version 1 has a number. */
function auditedOf({ dependencies, totalDependencies }: JsonObject): unknown {
  const isObject = typeof dependencies === 'object' && dependencies !== null && 'total' in dependencies;
  return isObject ? dependencies.total : totalDependencies;
}

/** Of one entry what is shown, in the words of the report. */
interface DisplayedFinding {
  readonly name: unknown;
  readonly range: unknown;
  readonly title: unknown;
}

/** A package is vulnerable by advisories of its own, or by the names of those that it depends on. */
function detailOfPackage(entry: JsonObject, name: string): DisplayedFinding {
  const causes: readonly unknown[] = Array.isArray(entry['via']) ? entry['via'] : [];
  const advisory = causes.find((cause): cause is JsonObject => typeof cause === 'object' && cause !== null);
  const names = causes.filter((cause) => typeof cause === 'string');
  return { name, range: entry['range'], title: advisory?.['title'] ?? `by ${names.join(', ')}` };
}

const detailOfAdvisory = (entry: JsonObject): DisplayedFinding => ({
  name: entry['module_name'],
  range: entry['vulnerable_versions'],
  title: entry['title'],
});

function toDetail(severity: NpmSeverity, { name, range, title }: DisplayedFinding): ReportDetail {
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return {
    title: excerpt(`${SEVERITY_OF[severity]}: ${text(name)}`, NAME_LENGTH),
    location: excerpt([text(name), text(range)].filter(Boolean).join(' '), NAME_LENGTH) || null,
    message: excerpt(text(title), MESSAGE_LENGTH),
  };
}
