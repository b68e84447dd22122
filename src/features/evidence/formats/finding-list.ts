import { createHash } from 'node:crypto';
import type { Finding, SeverityMetrics } from '../../../domain/evidence/evidence.js';
import { excerpt, createMessageList, formatOverflow } from './bounded-list.js';
import type { ParsedContent, ReportDetail, ReportLimits } from './report-format.js';

export type Severity = keyof SeverityMetrics;

/** Worst first. */
const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const satisfies readonly Severity[];

/** Returns the worse of two severities. */
export const worseSeverity = (one: Severity, other: Severity): Severity =>
  SEVERITIES.indexOf(one) <= SEVERITIES.indexOf(other) ? one : other;

const MAX_IDENTITIES = 200;
const LABEL_LENGTH = 300;
const ID_LENGTH = 32;

/** What tells a finding from others in every scan. A finding without a rule, or without a fingerprint and a file, has no identity. */
export interface FindingIdentity {
  readonly tool: string;
  readonly rule: string;
  /** The tool's own identity of the finding, which survives a move to another line. */
  readonly fingerprint: string | null;
  readonly file: string | null;
}

/** A name that many findings share is hashed with each of them, so it must be short. */
const NAME_LENGTH = 1_000;

/** Returns a name for identities: the text, or its digest if it is long. Compute it once for all findings that share it. */
export const toIdentityName = (text: string): string =>
  text.length <= NAME_LENGTH ? text : createHash('sha256').update(text).digest('hex');

/**
 * Counts findings by identity and severity. The findings of a list have the severities of the counts of their report, so that a
 * finding without an identity is missing in the list.
 */
export class FindingList {
  /** By severity and identity. */
  private readonly found = new Map<string, { readonly finding: Omit<Finding, 'count'>; count: number }>();

  add({ tool, rule, fingerprint, file }: FindingIdentity, severity: Severity, occurrences = 1): void {
    if (rule === '' || (fingerprint === null && !file)) return;
    const parts = fingerprint === null ? [tool, rule, file, severity] : [tool, rule, fingerprint];
    const id = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, ID_LENGTH);
    this.count(id, severity, occurrences, () => excerpt(file ? `${rule} in ${file}` : rule, LABEL_LENGTH));
  }

  /** Adds the findings of another list, which may be cut. */
  addAll(findings: readonly Finding[]): void {
    for (const { id, label, severity, count } of findings) this.count(id, severity, count, () => label);
  }

  /** The worst ones, at most 200. */
  get worst(): readonly Finding[] {
    const all = [...this.found.values()].map(({ finding, count }): Finding => ({ ...finding, count }));
    return SEVERITIES.flatMap((severity) => all.filter((finding) => finding.severity === severity)).slice(
      0,
      MAX_IDENTITIES,
    );
  }

  private count(id: string, severity: Severity, count: number, toLabel: () => string): void {
    const key = `${severity} ${id}`;
    const known = this.found.get(key);
    if (known === undefined) this.found.set(key, { finding: { id, label: toLabel(), severity }, count });
    else known.count += count;
  }
}

/** Counts findings by severity and stores the first ones of each severity for display, with the remarks about the report. */
export class SeverityCounter {
  readonly failures = createMessageList();
  readonly notes = createMessageList();
  private readonly counts: Record<Severity, number> = { critical: 0, high: 0, medium: 0, low: 0 };
  private readonly identities = new FindingList();
  private readonly found: Readonly<Record<Severity, ReportDetail[]>> = { critical: [], high: [], medium: [], low: [] };

  constructor(private readonly limits: ReportLimits) {}

  /** Counts the occurrences of a finding, whose identity may be null. Calls `detail` only if the finding can still be stored. */
  add(severity: Severity, identity: FindingIdentity | null, detail: () => ReportDetail, occurrences = 1): void {
    this.counts[severity] += occurrences;
    if (identity !== null) this.identities.add(identity, severity, occurrences);
    if (this.found[severity].length < this.limits.details) this.found[severity].push(detail());
  }

  /** Counts findings that a report states but does not list. */
  addUnlisted(severity: Severity, count: number): void {
    this.counts[severity] += count;
  }

  result(): ParsedContent {
    return {
      measure: { of: 'findings', value: { ...this.counts }, findings: this.identities.worst },
      failures: this.failures.withRest(formatOverflow),
      notes: this.notes.withRest(formatOverflow),
      details: SEVERITIES.flatMap((severity) => this.found[severity]).slice(0, this.limits.details),
    };
  }
}
