import type { Severity } from './severity-counter.js';

/** SARIF 2.1.0, § 3.27.10. */
export const SARIF_LEVELS = ['none', 'note', 'warning', 'error'] as const;
export type SarifLevel = (typeof SARIF_LEVELS)[number];

const BY_LEVEL: Readonly<Record<SarifLevel, Severity | null>> = {
  error: 'high',
  warning: 'medium',
  note: 'low',
  none: null,
};

/**
 * GitHub code scanning's bands of `security-severity`, and where a rule has none, the band of the level; null where the
 * level says that there is nothing to judge.
 */
export function severityOf(score: number | null, level: SarifLevel): Severity | null {
  if (score === null) return BY_LEVEL[level];
  if (score >= 9) return 'critical';
  if (score >= 7) return 'high';
  return score >= 4 ? 'medium' : 'low';
}
