import { excerpt } from './bounded-list.js';
import { type JsonMembers, JsonDocument } from './json-document.js';
import type { JsonPath } from '../../../http/body/json-scanner.js';
import type { ParsedContent, ReportDetail, ReportFormat, ReportLimits } from './report-format.js';
import type { ReportText } from './report-text.js';
import { type Severity, toIdentityName, SeverityCounter } from './finding-list.js';

const NAME_LENGTH = 300;
const MESSAGE_LENGTH = 1_000;
const TOOL = 'Trivy';
const MISCONFIGURATION_STATUSES = ['PASS', 'FAIL', 'EXCEPTION'] as const;

/** A finding without a rating may be harmful. It counts like a SARIF result without a level. */
const UNRATED: Severity = 'medium';
const SEVERITY_OF: Readonly<Record<string, Severity>> = {
  CRITICAL: 'critical',
  HIGH: 'high',
  MEDIUM: 'medium',
  LOW: 'low',
  UNKNOWN: UNRATED,
};

/**
 * Trivy's JSON, schema 2: vulnerable packages, misconfigurations and secrets, each as often as it is listed. Licenses are
 * only noted, because they do not concern security.
 */
export const trivy: ReportFormat = {
  name: 'trivy',
  title: 'Trivy JSON',
  defaultKind: 'security',

  detect: ({ jsonKeys }) => jsonKeys.has('SchemaVersion') && (jsonKeys.has('ArtifactName') || jsonKeys.has('Results')),

  read: (report: ReportText, limits: ReportLimits): ParsedContent =>
    new TrivyReader(new JsonDocument(report, limits), limits).read(),
};

class TrivyReader {
  private readonly findings: SeverityCounter;
  /** The present target in identities. */
  private file: string | null = null;
  private licenses = 0;
  private suppressed = 0;

  constructor(
    private readonly json: JsonDocument,
    limits: ReportLimits,
  ) {
    this.findings = new SeverityCounter(limits);
  }

  read(): ParsedContent {
    const root = this.json.object(this.json.root, []);
    if (root['SchemaVersion'] !== 2) throw this.json.errorAt(['SchemaVersion'], 'version 2 is expected');
    const results = this.json.optionalArray(root['Results'], ['Results']);
    for (const [index, result] of results.entries()) {
      this.result(this.json.object(result, ['Results', index]), ['Results', index]);
    }
    // Trivy omits a target without data, and the list if it is empty.
    if (results.length === 0) this.findings.failures.add('Trivy lists no scanned target');
    this.remark(root);
    return this.findings.result();
  }

  private result(result: JsonMembers, path: JsonPath): void {
    const target = this.json.optionalString(result['Target'], [...path, 'Target']) ?? '';
    this.file = toIdentityName(target) || null;
    this.each(result, 'Vulnerabilities', path, (found, at) => this.vulnerability(found, at, target));
    let misconfigurations = 0;
    this.each(result, 'Misconfigurations', path, (found, at) => {
      if (this.misconfiguration(found, at, target)) misconfigurations += 1;
    });
    this.compare(result, path, target, misconfigurations);
    this.each(result, 'Secrets', path, (found, at) => this.secret(found, at, target));
    this.each(result, 'Licenses', path, () => (this.licenses += 1));
    this.each(result, 'ExperimentalModifiedFindings', path, () => (this.suppressed += 1));
  }

  private each(
    owner: JsonMembers,
    key: string,
    path: JsonPath,
    visit: (entry: JsonMembers, path: JsonPath) => void,
  ): void {
    for (const [index, entry] of this.json.optionalArray(owner[key], [...path, key]).entries()) {
      const entryPath = [...path, key, index];
      visit(this.json.object(entry, entryPath), entryPath);
    }
  }

  private vulnerability(found: JsonMembers, path: JsonPath, target: string): void {
    this.count(found, path, found['VulnerabilityID'], () => {
      const installed = [toText(found['PkgName']), toText(found['InstalledVersion'])].filter(Boolean).join(' ');
      return { location: target, message: [installed, toText(found['Title'])] };
    });
  }

  /** Counts a failed check. Returns false for one that passes or does not apply. */
  private misconfiguration(found: JsonMembers, path: JsonPath, target: string): boolean {
    const status = this.json.readOptionalChoice(found['Status'], [...path, 'Status'], MISCONFIGURATION_STATUSES);
    if (status === 'PASS' || status === 'EXCEPTION') return false;
    const cause = this.json.optionalObject(found['CauseMetadata'], [...path, 'CauseMetadata']);
    this.count(found, path, found['ID'], () => ({
      location: formatLocation(target, cause['StartLine']),
      message: [toText(found['Title']), toText(found['Message'])],
    }));
    return true;
  }

  /** Fails the report if it states more failed checks than it lists, because their severity is unknown. Fewer are noted. */
  private compare(result: JsonMembers, path: JsonPath, target: string, listed: number): void {
    const summaryPath = [...path, 'MisconfSummary'];
    const summary = this.json.optionalObject(result['MisconfSummary'] ?? undefined, summaryPath);
    const stated = this.json.optionalCount(summary['Failures'], [...summaryPath, 'Failures']) ?? listed;
    const difference = excerpt(`${target}: ${stated} checks failed, ${listed} listed`, NAME_LENGTH);
    if (stated > listed) this.findings.failures.add(difference);
    else if (stated < listed) this.findings.notes.add(difference);
  }

  private secret(found: JsonMembers, path: JsonPath, target: string): void {
    // The match is not displayed, because it is the secret itself.
    this.count(found, path, found['RuleID'], () => ({
      location: formatLocation(target, found['StartLine']),
      message: [toText(found['Title'])],
    }));
  }

  private count(found: JsonMembers, path: JsonPath, ruleId: unknown, toFinding: () => DisplayedFinding): void {
    const stated = this.json.optionalString(found['Severity'], [...path, 'Severity']) || 'UNKNOWN';
    const severity = Object.hasOwn(SEVERITY_OF, stated) ? SEVERITY_OF[stated] : undefined;
    if (severity === undefined) {
      throw this.json.errorAt([...path, 'Severity'], `one of ${Object.keys(SEVERITY_OF).join(', ')} is expected`);
    }
    const rule = toText(ruleId);
    const fingerprint = toText(found['Fingerprint']) || null;
    this.findings.add(severity, { tool: TOOL, rule, fingerprint, file: this.file }, () =>
      toDetail(severity, rule, toFinding()),
    );
  }

  private remark(root: JsonMembers): void {
    const metadata = this.json.optionalObject(root['Metadata'] ?? undefined, ['Metadata']);
    const system = this.json.optionalObject(metadata['OS'] ?? undefined, ['Metadata', 'OS']);
    if (system['EOSL'] === true)
      this.findings.notes.add('the operating system is no longer supported: new vulnerabilities are not reported');
    if (this.licenses > 0) this.findings.notes.add(`${this.licenses} licenses not counted`);
    if (this.suppressed > 0) this.findings.notes.add(`${this.suppressed} findings not counted: suppressed in the scan`);
  }
}

/** The displayed members of a finding. */
interface DisplayedFinding {
  readonly location: string;
  readonly message: readonly string[];
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : '');

const formatLocation = (target: string, line: unknown): string =>
  typeof line === 'number' && line > 0 ? `${target.slice(0, NAME_LENGTH)}:${line}` : target;

function toDetail(severity: Severity, rule: string, { location, message }: DisplayedFinding): ReportDetail {
  return {
    title: excerpt([severity, rule].filter(Boolean).join(': '), NAME_LENGTH),
    location: excerpt(location, NAME_LENGTH) || null,
    message: excerpt(message.filter(Boolean).join(': '), MESSAGE_LENGTH),
  };
}
