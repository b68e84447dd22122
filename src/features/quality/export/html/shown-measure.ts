import type { Metrics } from '../../../../domain/evidence/evidence.js';
import { NONE, shownCount } from './shown-values.js';

const TEST_FIELDS = ['total', 'passed', 'failed', 'skipped', 'flaky'] as const;
const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const;

/** What a piece of evidence measured, in one line. Its numbers may be those of a stranger, and none. */
export function shownMeasure({
  unit_tests,
  integration_tests,
  e2e_tests,
  coverage,
  sast_scan,
  security,
}: Metrics): string {
  const tests = unit_tests ?? integration_tests ?? e2e_tests;
  const findings = sast_scan ?? security;
  const parts = [
    ...TEST_FIELDS.map((field) => counted(tests?.[field], field === 'total' ? 'tests' : field)),
    percented('line', coverage?.line_percent),
    percented('branch', coverage?.branch_percent),
    ...SEVERITIES.map((severity) => counted(findings?.[severity], severity)),
  ].filter((part) => part !== null);
  return parts.length === 0 ? NONE : parts.join(', ');
}

const counted = (count: unknown, name: string): string | null =>
  typeof count === 'number' && Number.isFinite(count) ? `${shownCount(count)} ${name}` : null;

const percented = (name: string, percent: unknown): string | null =>
  typeof percent === 'number' && Number.isFinite(percent) ? `${name} ${percent.toFixed(1)} %` : null;
