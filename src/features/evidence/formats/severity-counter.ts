import { createMessageList, formatOverflow } from './bounded-list.js';
import { FindingList, type FindingIdentity, SEVERITIES, type Severity } from './finding-list.js';
import type { ParsedContent, ReportDetail, ReportLimits } from './report-format.js';

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
