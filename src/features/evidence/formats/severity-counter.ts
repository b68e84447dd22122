import type { SeverityMetrics } from '../../../domain/evidence/evidence.js';
import type { Measure, ReportDetail, ReportLimits } from './report-format.js';

export type Severity = keyof SeverityMetrics;

/** Worst first. */
const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const satisfies readonly Severity[];

/** Counts findings by severity and stores the first ones of each severity for display. */
export class SeverityCounter {
  private readonly counts: Record<Severity, number> = { critical: 0, high: 0, medium: 0, low: 0 };
  private readonly found: Readonly<Record<Severity, ReportDetail[]>> = { critical: [], high: [], medium: [], low: [] };

  constructor(private readonly limits: ReportLimits) {}

  /** Counts a finding. Calls `detail` only if the finding can still be stored. */
  add(severity: Severity, detail: () => ReportDetail): void {
    this.counts[severity] += 1;
    if (this.found[severity].length < this.limits.details) this.found[severity].push(detail());
  }

  /** Counts findings that a report states but does not list. */
  addUnlisted(severity: Severity, count: number): void {
    this.counts[severity] += count;
  }

  get measure(): Measure {
    return { of: 'findings', value: { ...this.counts } };
  }

  get details(): readonly ReportDetail[] {
    return SEVERITIES.flatMap((severity) => this.found[severity]).slice(0, this.limits.details);
  }
}
