import { excerpt } from './bounded-list.js';
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

/** The keys of the error that npm and pnpm print instead of a report. */
const ERROR_KEYS: ReadonlySet<string> = new Set(['error', 'message', 'method', 'uri', 'headers', 'statusCode', 'body']);

/**
 * The output of `npm audit --json`: report version 2 with one entry per vulnerable package, or version 1 with one per
 * advisory, which pnpm still writes. An error of npm counts as a failed report.
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

  constructor(
    private readonly json: JsonReader,
    limits: ReportLimits,
  ) {
    this.findings = new SeverityCounter(limits);
  }

  read(isError: boolean): ParsedContent {
    const root = this.json.object(this.json.root, []);
    if (isError) this.findings.failures.add(`the audit failed: ${this.readReason(root)}`);
    else this.report(root);
    return this.findings.result();
  }

  private report(root: JsonObject): void {
    const version = root['auditReportVersion'];
    if (version === undefined) this.entries(root, 'advisories', advisoryDetail);
    else if (version === 2) this.entries(root, 'vulnerabilities', packageDetail);
    else throw this.json.errorAt(['auditReportVersion'], 'version 2 is expected');
    if (root['error'] !== undefined) this.findings.failures.add(`the audit failed: ${this.readReason(root)}`);
    this.totals(this.json.object(root['metadata'], ['metadata']));
  }

  private entries(
    root: JsonObject,
    key: string,
    toDisplayed: (entry: JsonObject, name: string) => DisplayedFinding,
  ): void {
    for (const [name, value] of Object.entries(this.json.object(root[key], [key]))) {
      const path = [key, name];
      const entry = this.json.object(value, path);
      const severity = this.severity(entry['severity'], [...path, 'severity']);
      this.listed[severity] += 1;
      this.findings.add(SEVERITY_OF[severity], () => toDetail(severity, toDisplayed(entry, name)));
    }
  }

  /**
   * Version 1 counts each path to a vulnerable package, so its totals may exceed the listed entries. The greater number
   * counts, so that no finding is lost.
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
        this.findings.notes.add(
          `${count} ${severity} vulnerabilities stated, ${listed} listed; the greater number counts`,
        );
      this.counted += Math.max(count, listed);
      if (count > listed) this.findings.addUnlisted(SEVERITY_OF[severity], count - listed);
    }
    const total = this.json.optionalCount(stated['total'], [...path, 'total']) ?? 0;
    if (total > this.counted)
      this.findings.failures.add(`${total} vulnerabilities stated in total, ${this.counted} counted by severity`);
    // An audit in the wrong folder also has no dependencies.
    if (countAudited(metadata) === 0) this.findings.failures.add('no dependency was audited');
  }

  private severity(value: unknown, path: JsonPath): NpmSeverity {
    const severity = this.json.readOptionalChoice(value, path, NPM_SEVERITIES);
    if (severity === undefined) throw this.json.errorAt(path, `one of ${NPM_SEVERITIES.join(', ')} is expected`);
    return severity;
  }

  /** Returns the error of the registry, npm or pnpm in one line. */
  private readReason(root: JsonObject): string {
    const error = this.json.optionalObject(root['error'], ['error']);
    const texts = [error['code'], error['summary'], error['message'], error['detail'], root['message']];
    const reasons = texts.filter((text) => typeof text === 'string' && text !== '');
    if (reasons.length === 0) throw this.json.errorAt([], 'neither a result of npm audit nor an error');
    return excerpt(reasons.slice(0, 2).join(': ').replaceAll(/\s+/g, ' '), NAME_LENGTH);
  }
}

/** Returns the number of audited dependencies. Version 2 has an object with the number. */
function countAudited({ dependencies, totalDependencies }: JsonObject): unknown {
  const isObject = typeof dependencies === 'object' && dependencies !== null && 'total' in dependencies;
  return isObject ? dependencies.total : totalDependencies;
}

/** The displayed members of an entry. */
interface DisplayedFinding {
  readonly name: unknown;
  readonly range: unknown;
  readonly title: unknown;
}

/** A package is vulnerable by its own advisories or by its dependencies, which are listed by name. */
function packageDetail(entry: JsonObject, name: string): DisplayedFinding {
  const causes: readonly unknown[] = Array.isArray(entry['via']) ? entry['via'] : [];
  const advisory = causes.find((cause): cause is JsonObject => typeof cause === 'object' && cause !== null);
  const names = causes.filter((cause) => typeof cause === 'string');
  return { name, range: entry['range'], title: advisory?.['title'] ?? `by ${names.join(', ')}` };
}

const advisoryDetail = (entry: JsonObject): DisplayedFinding => ({
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
