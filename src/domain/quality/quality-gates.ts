import type { EffectiveEvidenceSet } from '../evidence/effective-evidence-set.js';
import { type CoverageMetrics, type EvidenceItem, isCount, type SeverityMetrics } from '../evidence/evidence.js';
import type { QualityGates, SeverityLimits } from '../policy/policy.js';
import type { Condition } from '../facts/condition.js';

const SEVERITIES = [
  ['critical', 'maxCritical'],
  ['high', 'maxHigh'],
  ['medium', 'maxMedium'],
  ['low', 'maxLow'],
] as const satisfies readonly (readonly [keyof SeverityMetrics, keyof SeverityLimits])[];

/** Returns a condition for each failing quality gate. A gate without its evidence fails. */
export function failingQualityGates(
  gates: QualityGates,
  set: EffectiveEvidenceSet,
  predecessorLinePercent: number | null,
): readonly Condition[] {
  return [
    ...coverageGate(gates.coverage, set, predecessorLinePercent),
    ...severityGate('sast_scan', gates.sastScan, set),
    ...severityGate('security', gates.security, set),
  ];
}

/**
 * Returns the line coverage of the set in percent: the sum of all line counts if every item has them, else the lowest
 * value. Null if an item has no measurement.
 */
export function effectiveLinePercent(set: EffectiveEvidenceSet): number | null {
  const sum = { items: 0, counted: 0, covered: 0, total: 0, lowest: 100 };
  for (const { kind, pieces: items } of set) {
    if (kind !== 'coverage') continue;
    for (const { metrics } of items) {
      const percent = statedLinePercent(metrics.coverage);
      if (percent === null) return null;
      sum.items += 1;
      sum.lowest = Math.min(sum.lowest, percent);
      const lines = metrics.coverage?.lines;
      if (!lines) continue;
      sum.counted += 1;
      sum.covered += lines.covered;
      sum.total += lines.total;
    }
  }
  if (sum.items === 0) return null;
  return sum.counted < sum.items ? sum.lowest : (sum.covered * 100) / sum.total;
}

/** Returns the line coverage of one item in percent. Null if there is none or the values are invalid. */
export function statedLinePercent(coverage: CoverageMetrics | undefined): number | null {
  const lines = coverage?.lines;
  if (lines && !(isCount(lines.covered) && isCount(lines.total))) return null;
  const percent = lines ? (lines.covered * 100) / lines.total : (coverage?.line_percent ?? Number.NaN);
  return percent >= 0 && percent <= 100 ? percent : null;
}

/** Returns the failing coverage gates. */
export function coverageGate(
  gate: QualityGates['coverage'],
  set: EffectiveEvidenceSet,
  predecessorLinePercent: number | null,
): readonly Condition[] {
  if (gate.minLinePercent === null && gate.maxDrop === null) return [];
  const groups = set.filter(({ kind }) => kind === 'coverage');
  if (groups.length === 0) return [missing('coverage')];
  const conditions: Condition[] = [];
  for (const group of groups) {
    const percent = effectiveLinePercent([group]);
    const from = `"${group.pipeline}" (${group.environment})`;
    if (percent === null) conditions.push(failing(`The coverage of ${from} states no line coverage.`));
    else if (gate.minLinePercent !== null && !(percent >= gate.minLinePercent)) {
      conditions.push(
        failing(`Line coverage of ${from} is ${formatNumber(percent)} %, below ${gate.minLinePercent} %.`),
      );
    }
  }
  const percent = effectiveLinePercent(set);
  // A set without a measurement was already reported above, by its group.
  if (gate.maxDrop !== null && predecessorLinePercent !== null && percent !== null) {
    const drop = predecessorLinePercent - percent;
    if (!(drop <= gate.maxDrop)) {
      conditions.push(
        failing(
          `Line coverage dropped by ${formatNumber(drop)} points since the last shipped release; ${gate.maxDrop} are allowed.`,
        ),
      );
    }
  }
  return conditions;
}

/** Returns the failing gates on findings of one kind. */
export function severityGate(
  kind: 'sast_scan' | 'security',
  limits: SeverityLimits,
  set: EffectiveEvidenceSet,
): readonly Condition[] {
  if (SEVERITIES.every(([, limit]) => limits[limit] === null)) return [];
  const items = itemsOfKind(kind, set);
  if (items.length === 0) return [missing(kind)];
  const findings = items.map(({ metrics }) => metrics[kind]);
  if (!findings.every(hasSeverityCounts)) {
    return [failing(`A piece of "${kind}" evidence states no findings.`)];
  }
  return SEVERITIES.flatMap(([severity, limit]) => {
    const allowed = limits[limit];
    const found = findings.reduce((sum, counts) => sum + counts[severity], 0);
    if (allowed === null || found <= allowed) return [];
    return [failing(`${found} ${severity} findings in "${kind}"; ${allowed} are allowed.`)];
  });
}

/** Returns whether the item has a valid count for each severity. */
export const hasSeverityCounts = (findings: SeverityMetrics | undefined): findings is SeverityMetrics =>
  findings !== undefined && SEVERITIES.every(([severity]) => isCount(findings[severity]));

const itemsOfKind = (kind: EvidenceItem['kind'], set: EffectiveEvidenceSet): readonly EvidenceItem[] =>
  set.filter((group) => group.kind === kind).flatMap(({ pieces: items }) => items);

const missing = (kind: string): Condition => ({
  code: 'quality_evidence_missing',
  detail: `A quality gate requires "${kind}" evidence. None was uploaded for the candidate.`,
  actor: 'ci',
});

const failing = (detail: string): Condition => ({ code: 'quality_gate_failing', detail, actor: 'team' });

const formatNumber = (value: number): string => (Math.round(value * 100) / 100).toString();
