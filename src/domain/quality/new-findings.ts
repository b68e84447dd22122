import type { Finding, ScanKind, SeverityMetrics } from '../evidence/evidence.js';

/** The findings of one scan. */
export interface Scan {
  readonly kind: ScanKind;
  readonly counts: SeverityMetrics;
  /** Those with an identity. */
  readonly findings: readonly Finding[];
}

/** The findings that earlier scans do not have. */
export interface NewFindings {
  /** The number of new findings, among those with an identity. */
  readonly count: number;
  /** Worst first. `count` of each is the number of new ones. */
  readonly findings: readonly Finding[];
  /**
   * The number of present findings that cannot be compared: those without an identity, and all of a kind whose earlier scans have findings
   * without one, because each may be an earlier one.
   */
  readonly unidentified: number;
}

const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const satisfies readonly (keyof SeverityMetrics)[];

/** Compares scans with earlier ones. Only kinds with a scan on both sides are compared; null if there is none. */
export function findNewFindings(now: readonly Scan[], before: readonly Scan[]): NewFindings | null {
  const kinds = new Set(before.map(({ kind }) => kind));
  const scanned = now.filter(({ kind }) => kinds.has(kind));
  if (scanned.length === 0) return null;
  const present = countById(scanned.filter(({ kind }) => isIdentified(before.filter((scan) => scan.kind === kind))));
  const past = countById(before);
  const findings = [...present.values()]
    .map((finding) => ({ ...finding, count: finding.count - (past.get(finding.id)?.count ?? 0) }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
  const unidentified = Math.max(0, countAll(scanned) - sumCounts([...present.values()]));
  return { count: sumCounts(findings), findings, unidentified };
}

const countAll = (scans: readonly Scan[]): number =>
  scans.reduce((sum, { counts }) => sum + SEVERITIES.reduce((all, one) => all + counts[one], 0), 0);

const isIdentified = (scans: readonly Scan[]): boolean =>
  countAll(scans) <= sumCounts(scans.flatMap(({ findings }) => findings));

function countById(scans: readonly Scan[]): ReadonlyMap<string, Finding> {
  const found = new Map<string, Finding>();
  for (const finding of scans.flatMap(({ findings }) => findings)) {
    found.set(finding.id, { ...finding, count: finding.count + (found.get(finding.id)?.count ?? 0) });
  }
  return found;
}

const sumCounts = (findings: readonly Finding[]): number => findings.reduce((sum, { count }) => sum + count, 0);
