import type { CoverageMetrics } from '../../../domain/evidence/evidence.js';
import { type Counts, percentage } from './coverage.js';
import { BRANCHES, CoveredFiles, encodeLines, LINES } from './covered-files.js';
import type { ReportCoverage } from './report-format.js';

/** The coverage of all reports of one upload together. */
export interface UploadCoverage {
  readonly metrics: CoverageMetrics;
  /** The encoded files with their lines; null if a report has no line. */
  readonly lines: Uint8Array | null;
}

/** Unites the reports of an upload. A report without a line or without a branch leaves nothing to state about them. */
export function uniteReports(reports: readonly ReportCoverage[]): UploadCoverage {
  const lines = uniteAll(
    reports.map((report) => report.lines),
    new CoveredFiles(LINES),
  );
  const branches = uniteAll(
    reports.map((report) => report.branches),
    new CoveredFiles(BRANCHES),
  );
  return { metrics: toCoverageMetrics(lines?.count(), branches?.count()), lines: lines && encodeLines(lines) };
}

function uniteAll<T>(all: readonly (CoveredFiles<T> | null)[], united: CoveredFiles<T>): CoveredFiles<T> | null {
  for (const files of all) {
    if (files === null) return null;
    united.addAll(files);
  }
  return united;
}

export const toCoverageMetrics = (lines: Counts | undefined, branches: Counts | undefined): CoverageMetrics => ({
  line_percent: lines ? percentage(lines) : null,
  branch_percent: branches ? percentage(branches) : null,
  ...(lines && { lines }),
  ...(branches && { branches }),
});
