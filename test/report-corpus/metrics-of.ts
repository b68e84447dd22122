import type { EvidenceMetrics } from '../../src/domain/evidence/evidence.js';

/** `failed` includes errors. `flaky` is omitted if the format has no flaky tests or no test was flaky. */
export function tests(total: number, passed: number, failed: number, skipped: number, flaky?: number): EvidenceMetrics {
  return { unit_tests: { total, passed, failed, skipped, ...(flaky !== undefined && { flaky }) } };
}

export function e2eTests(
  total: number,
  passed: number,
  failed: number,
  skipped: number,
  flaky?: number,
): EvidenceMetrics {
  return { e2e_tests: { total, passed, failed, skipped, ...(flaky !== undefined && { flaky }) } };
}

export function findings(critical: number, high: number, medium: number, low: number): EvidenceMetrics {
  return { sast_scan: { critical, high, medium, low } };
}
