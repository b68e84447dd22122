import { excerpt } from './bounded-list.js';
import { type JsonMembers, JsonDocument } from './json-document.js';
import type { JsonPath } from '../../../http/body/json-scanner.js';
import type { ParsedContent, ReportDetail, ReportFormat, ReportLimits } from './report-format.js';
import type { ReportText } from './report-text.js';
import { type FindingIdentity, type Severity, SeverityCounter } from './finding-list.js';

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

/** The kinds of dependencies in `metadata.dependencies`. */
const DEPENDENCY_KINDS = ['prod', 'dev', 'optional', 'peer', 'peerOptional'] as const;

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
    new NpmAuditReader(new JsonDocument(report, limits), limits).read(isError(report.jsonKeys)),
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
    private readonly json: JsonDocument,
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

  private report(root: JsonMembers): void {
    const version = root['auditReportVersion'];
    // Each of them would be a whole report.
    if (version !== undefined && root['advisories'] !== undefined) {
      throw this.json.errorAt(['advisories'], 'not expected beside vulnerabilities');
    }
    if (version === undefined) this.entries(root, 'advisories', advisoryDetail);
    else if (version === 2) this.entries(root, 'vulnerabilities', packageDetail);
    else throw this.json.errorAt(['auditReportVersion'], 'version 2 is expected');
    if (root['error'] !== undefined) this.findings.failures.add(`the audit failed: ${this.readReason(root)}`);
    this.totals(this.json.object(root['metadata'], ['metadata']));
  }

  private entries(
    root: JsonMembers,
    key: string,
    toDisplayed: (entry: JsonMembers, name: string) => DisplayedFinding,
  ): void {
    for (const [name, value] of Object.entries(this.json.object(root[key], [key]))) {
      const path = [key, name];
      const entry = this.json.object(value, path);
      const severity = this.worstSeverity(entry, path, name);
      this.listed[severity] += 1;
      const displayed = toDisplayed(entry, name);
      this.findings.add(SEVERITY_OF[severity], toIdentity(entry, displayed), () => toDetail(severity, displayed));
    }
  }

  /** Returns the severity of an entry, or that of one of its advisories if it is worse. */
  private worstSeverity(entry: JsonMembers, path: JsonPath, name: string): NpmSeverity {
    const stated = this.severity(entry['severity'], [...path, 'severity']);
    const causes: readonly unknown[] = Array.isArray(entry['via']) ? entry['via'] : [];
    const own = causes.flatMap((cause, index) =>
      typeof cause === 'object' && cause !== null && 'severity' in cause
        ? [this.severity(cause.severity, [...path, 'via', index, 'severity'])]
        : [],
    );
    const rank = (severity: NpmSeverity): number => NPM_SEVERITIES.indexOf(severity);
    const worst = own.reduce((one, other) => (rank(other) < rank(one) ? other : one), stated);
    // A vulnerable dependency may be worse than all advisories of the package.
    const isExplained = own.includes(worst) || own.length < causes.length || own.length === 0;
    if (worst !== stated || !isExplained) {
      const advisories = [...new Set(own)].join(', ');
      this.findings.notes.add(
        `${excerpt(name, NAME_LENGTH)} is ${stated}, its advisories are ${advisories}; the worst counts`,
      );
    }
    return worst;
  }

  /**
   * Version 1 counts each path to a vulnerable package, so its totals may exceed the listed entries. The greater number
   * counts, so that no finding is lost.
   */
  private totals(metadata: JsonMembers): void {
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
    for (const [name, count] of Object.entries(stated)) {
      if (name === 'total' || (NPM_SEVERITIES as readonly string[]).includes(name) || count === 0) continue;
      this.findings.failures.add(
        excerpt(`vulnerabilities of the unknown severity ${name}: ${JSON.stringify(count)}`, NAME_LENGTH),
      );
    }
    const total = this.json.optionalCount(stated['total'], [...path, 'total']);
    if (total !== null && total > this.counted)
      this.findings.failures.add(`${total} vulnerabilities stated in total, ${this.counted} counted by severity`);
    if (total !== null && total < this.counted) {
      this.findings.notes.add(`${total} vulnerabilities stated in total, ${this.counted} counted by severity`);
    }
    // An audit in the wrong folder also has no dependencies.
    if (this.countAudited(metadata) === 0) this.findings.failures.add('no dependency was audited');
  }

  /**
   * Returns the number of audited dependencies. Version 2 has an object with the number, and with the number of each kind. Without
   * it nothing shows that anything was audited.
   */
  private countAudited({ dependencies, totalDependencies }: JsonMembers): number {
    const isObject = typeof dependencies === 'object' && dependencies !== null && !Array.isArray(dependencies);
    const path = isObject ? ['metadata', 'dependencies', 'total'] : ['metadata', 'totalDependencies'];
    const counts: JsonMembers = isObject ? (dependencies as JsonMembers) : {};
    const total = this.json.optionalCount(isObject ? counts['total'] : totalDependencies, path);
    if (total === null) throw this.json.errorAt(path, 'the number of audited dependencies is expected');
    const kinds = DEPENDENCY_KINDS.map((kind) =>
      this.json.optionalCount(counts[kind], ['metadata', 'dependencies', kind]),
    );
    const stated = kinds.filter((count) => count !== null);
    return stated.length > 0 && stated.every((count) => count === 0) ? 0 : total;
  }

  private severity(value: unknown, path: JsonPath): NpmSeverity {
    const severity = this.json.readOptionalChoice(value, path, NPM_SEVERITIES);
    if (severity === undefined) throw this.json.errorAt(path, `one of ${NPM_SEVERITIES.join(', ')} is expected`);
    return severity;
  }

  /** Returns the error of the registry, npm or pnpm in one line. */
  private readReason(root: JsonMembers): string {
    const error = this.json.optionalObject(root['error'], ['error']);
    const texts = [error['code'], error['summary'], error['message'], error['detail'], root['message']];
    const reasons = texts.filter((text) => typeof text === 'string' && text !== '');
    if (reasons.length === 0) throw this.json.errorAt([], 'neither a result of npm audit nor an error');
    return excerpt(reasons.slice(0, 2).join(': ').replaceAll(/\s+/g, ' '), NAME_LENGTH);
  }
}

/** The displayed members of an entry. */
interface DisplayedFinding {
  readonly name: unknown;
  readonly range: unknown;
  readonly title: unknown;
}

/** A package is vulnerable by its own advisories or by its dependencies, which are listed by name. */
function packageDetail(entry: JsonMembers, name: string): DisplayedFinding {
  const causes: readonly unknown[] = Array.isArray(entry['via']) ? entry['via'] : [];
  const advisory = causes.find((cause): cause is JsonMembers => typeof cause === 'object' && cause !== null);
  const names = causes.filter((cause) => typeof cause === 'string');
  return { name, range: entry['range'], title: advisory?.['title'] ?? `by ${names.join(', ')}` };
}

const advisoryDetail = (entry: JsonMembers): DisplayedFinding => ({
  name: entry['module_name'],
  range: entry['vulnerable_versions'],
  title: entry['title'],
});

/**
 * Returns the identity of an entry: its package with all of its advisories, or with the dependencies by which it is vulnerable. A new
 * advisory for the same package is another finding.
 */
function toIdentity(entry: JsonMembers, { name }: DisplayedFinding): FindingIdentity {
  const causes: readonly unknown[] = Array.isArray(entry['via']) ? entry['via'] : [entry];
  const rules = causes.map((cause) => {
    if (typeof cause !== 'object' || cause === null) return cause;
    const { url, source, id, title } = cause as JsonMembers;
    return url ?? source ?? id ?? title;
  });
  // One advisory without a name could be any other one.
  const isNamed = rules.every((rule) => (typeof rule === 'string' && rule !== '') || typeof rule === 'number');
  const rule = isNamed ? rules.map(String).toSorted().join(', ') : '';
  return { tool: 'npm audit', rule, fingerprint: null, file: typeof name === 'string' ? name : null };
}

function toDetail(severity: NpmSeverity, { name, range, title }: DisplayedFinding): ReportDetail {
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return {
    title: excerpt(`${SEVERITY_OF[severity]}: ${text(name)}`, NAME_LENGTH),
    location: excerpt([text(name), text(range)].filter(Boolean).join(' '), NAME_LENGTH) || null,
    message: excerpt(text(title), MESSAGE_LENGTH),
  };
}
