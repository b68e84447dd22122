import { divideByRun, type EffectiveEvidenceSet, type EvidenceGroup } from '../evidence/effective-evidence-set.js';
import {
  type CoverageMetrics,
  type EvidenceItem,
  isCount,
  type SeverityMetrics,
  uploadIdFromItemId,
} from '../evidence/evidence.js';
import type { RunCoverage } from '../evidence/run-coverage.js';
import {
  type CoverageLimits,
  type PolicySource,
  type QualityGates,
  type SeverityLimits,
  toSourced,
} from '../policy/policy.js';
import { itemSubject } from './failure-subjects.js';
import { type Condition, type Subject, toSubjectId } from '../facts/condition.js';

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
 * value. The items of one run count together. Of several runs of a group, and of uploads without a run, the lowest counts, because each
 * must pass alone. Null if an item has no measurement.
 */
export const effectiveLinePercent = (set: EffectiveEvidenceSet): number | null =>
  toPercent(set.flatMap(lowestMeasurements));

/** The coverage of one item or of several items together. Undefined if an item states none. */
type Measurement = CoverageMetrics | undefined;

function toPercent(measurements: readonly Measurement[]): number | null {
  const sum = { items: 0, counted: 0, covered: 0, total: 0, lowest: 100 };
  for (const coverage of measurements) {
    const percent = statedLinePercent(coverage);
    if (percent === null) return null;
    sum.items += 1;
    sum.lowest = Math.min(sum.lowest, percent);
    const lines = coverage?.lines;
    if (!lines) continue;
    sum.counted += 1;
    sum.covered += lines.covered;
    sum.total += lines.total;
  }
  if (sum.items === 0) return null;
  return sum.counted < sum.items ? sum.lowest : (sum.covered * 100) / sum.total;
}

/**
 * Returns the measurements of the run with the lowest coverage, or of a run without a measurement. Uploads without a run are not known
 * to belong together, so each of them is compared by itself.
 */
function lowestMeasurements(group: EvidenceGroup): readonly Measurement[] {
  if (group.kind !== 'coverage') return [];
  const ofRuns = divideByRun(group)
    .flatMap<readonly EvidenceItem[]>((items) => (items[0].run === null ? items.map((item) => [item]) : [items]))
    .map((items) => toMeasurements(items, group.runs ?? []));
  const rank = (measurements: readonly Measurement[]): number => toPercent(measurements) ?? -1;
  return ofRuns.reduce((lowest, other) => (rank(other) < rank(lowest) ? other : lowest), ofRuns[0] ?? []);
}

/** Returns the united coverage of the items of one run, and the coverage of each item that is not united. */
function toMeasurements(items: readonly EvidenceItem[], runs: readonly RunCoverage[]): readonly Measurement[] {
  const ids = new Set(items.map(uploadIdFromItemId));
  const united = runs.filter(({ evidenceIds }) => evidenceIds.some((id) => ids.has(id)));
  const unitedIds = new Set(united.flatMap(({ evidenceIds }) => evidenceIds));
  const others = items.filter((item) => !unitedIds.has(uploadIdFromItemId(item)));
  return [
    ...united.map(({ evidenceIds, lines }) => ({
      line_percent: null,
      branch_percent: null,
      lines: lines ?? leastLines(items, new Set(evidenceIds)),
    })),
    ...others.map(({ metrics }) => metrics.coverage),
  ];
}

/**
 * Returns the least that the items of these uploads can cover together. Which of their lines are the same is not known, so all lines may
 * differ and all hits may be of the same lines.
 */
function leastLines(
  items: readonly EvidenceItem[],
  evidenceIds: ReadonlySet<string>,
): NonNullable<CoverageMetrics['lines']> {
  const least = { covered: 0, total: 0 };
  for (const item of items) {
    const lines = evidenceIds.has(uploadIdFromItemId(item)) ? item.metrics.coverage?.lines : undefined;
    least.covered = Math.max(least.covered, lines?.covered ?? 0);
    least.total += lines?.total ?? 0;
  }
  return least;
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
  gate: CoverageLimits,
  set: EffectiveEvidenceSet,
  predecessorLinePercent: number | null,
): readonly Condition[] {
  if (!setsLimit(gate)) return [];
  const groups = set.filter(({ kind }) => kind === 'coverage');
  if (groups.length === 0) return [missing('coverage', gate)];
  const conditions: Condition[] = [];
  for (const group of groups) {
    const percent = effectiveLinePercent([group]);
    const from = `"${group.pipeline}" (${group.environment})`;
    if (percent === null) {
      const subjects = group.items.map(itemSubject);
      conditions.push(failing(`The coverage of ${from} states no line coverage.`, subjects, firstSource(gate)));
    } else if (gate.minLinePercent !== null && !(percent >= gate.minLinePercent)) {
      conditions.push(
        failing(
          `Line coverage of ${from} is ${formatNumber(percent)} %, below ${gate.minLinePercent} %.${describeNotUnited([group])}`,
          coverageSubjects(group.items, 'min_line_percent', gate.minLinePercent),
          gate.sources?.minLinePercent,
        ),
      );
    }
  }
  if (gate.maxDrop === null || predecessorLinePercent === null) return conditions;
  const percent = effectiveLinePercent(groups);
  // A set without a measurement was already reported above, by its group.
  if (percent === null) return conditions;
  const drop = predecessorLinePercent - percent;
  if (!(drop <= gate.maxDrop)) {
    conditions.push(
      failing(
        `Line coverage dropped by ${formatNumber(drop)} points since the last shipped release; ${gate.maxDrop} are allowed.${describeNotUnited(groups)}`,
        coverageSubjects(itemsOfKind('coverage', set), 'max_drop', gate.maxDrop, predecessorLinePercent),
        gate.sources?.maxDrop,
      ),
    );
  }
  return conditions;
}

/** Returns sentences about uploads that are not united, each after a space. Empty if there are none. */
const describeNotUnited = (groups: readonly EvidenceGroup[]): string =>
  groups
    .flatMap(({ items, runs = [] }) => [
      ...runs
        .filter(({ lines }) => lines === null)
        .map(({ evidenceIds, isPending = false }) =>
          isPending
            ? ` ${evidenceIds.length} uploads of one run are not united yet, and until then the least that they can cover counts.`
            : ` ${evidenceIds.length} uploads of one run are too large to be united, so the least that they can cover counts. Unite their reports before the upload.`,
        ),
      describeUnnamed(items.filter(({ run }) => run === null).length),
    ])
    .join('');

const describeUnnamed = (uploads: number): string =>
  uploads < 2
    ? ''
    : ` ${uploads} uploads name no run, so the lowest of them counts. Upload them with the same run_url to unite them.`;

/** Identifies a measured coverage by its items and by the limit that it does not meet. */
const coverageSubjects = (
  items: readonly EvidenceItem[],
  limit: 'min_line_percent' | 'max_drop',
  ...limits: readonly number[]
): readonly Subject[] =>
  items.map((item) => ({
    id: toSubjectId('coverage', item.id, limit, ...limits),
    label: `the coverage of "${item.pipeline}" (${item.environment}), upload ${uploadIdFromItemId(item)}`,
  }));

/** Returns the failing gates on findings of one kind. */
export function severityGate(
  kind: 'sast_scan' | 'security',
  limits: SeverityLimits,
  set: EffectiveEvidenceSet,
): readonly Condition[] {
  if (!setsLimit(limits)) return [];
  const items = itemsOfKind(kind, set);
  if (items.length === 0) return [missing(kind, limits)];
  const findings = items.map(({ metrics }) => metrics[kind]);
  if (!findings.every(hasSeverityCounts)) {
    const subjects = items.map(itemSubject);
    return [failing(`A piece of "${kind}" evidence states no findings.`, subjects, firstSource(limits))];
  }
  return SEVERITIES.flatMap(([severity, limit]) => {
    const allowed = limits[limit];
    const found = findings.reduce((sum, counts) => sum + counts[severity], 0);
    if (allowed === null || found <= allowed) return [];
    return [
      failing(
        `${found} ${severity} findings in "${kind}"; ${allowed} are allowed.`,
        findingSubjects(items, kind, severity),
        limits.sources?.[limit],
      ),
    ];
  });
}

/**
 * Identifies the findings of one severity. Equal findings of several items are counted together. Findings without an identity belong
 * to their item, so that a later item is not covered.
 */
function findingSubjects(
  items: readonly EvidenceItem[],
  kind: 'sast_scan' | 'security',
  severity: keyof SeverityMetrics,
): readonly Subject[] {
  const subjects = new Map<string, { readonly id: string; readonly label: string; readonly count: number }>();
  for (const item of items) {
    const findings = item.identified?.findings.filter((finding) => finding.severity === severity) ?? [];
    for (const { id: findingId, label, count } of findings) {
      const id = toSubjectId('finding', kind, severity, findingId);
      subjects.set(id, { id, label, count: (subjects.get(id)?.count ?? 0) + count });
    }
    const identified = findings.reduce((sum, { count }) => sum + count, 0);
    if (identified !== item.metrics[kind]?.[severity]) {
      const id = toSubjectId('finding', kind, severity, null, item.id);
      subjects.set(id, {
        id,
        label: `${severity} findings without a place in "${item.pipeline}" (${item.environment}), upload ${uploadIdFromItemId(item)}`,
        count: 1,
      });
    }
  }
  return [...subjects.values()];
}

/** Returns whether the gate sets a limit. */
export const setsLimit = (gate: CoverageLimits | SeverityLimits): boolean =>
  Object.entries(gate).some(([name, limit]) => name !== 'sources' && limit !== null);

/** Returns the source of a gate that several limits make: the organization, if one of them is the organization's. */
function firstSource({ sources }: CoverageLimits | SeverityLimits): PolicySource | undefined {
  const all: readonly PolicySource[] = Object.values(sources ?? {});
  return all.includes('organization') ? 'organization' : all[0];
}

/** Returns whether the item has a valid count for each severity. */
export const hasSeverityCounts = (findings: SeverityMetrics | undefined): findings is SeverityMetrics =>
  findings !== undefined && SEVERITIES.every(([severity]) => isCount(findings[severity]));

const itemsOfKind = (kind: EvidenceItem['kind'], set: EffectiveEvidenceSet): readonly EvidenceItem[] =>
  set.filter((group) => group.kind === kind).flatMap(({ items }) => items);

const missing = (kind: string, limits: CoverageLimits | SeverityLimits): Condition => ({
  code: 'quality_evidence_missing',
  detail: `A quality gate requires "${kind}" evidence. None was uploaded for the candidate.`,
  actor: 'ci',
  subjects: [{ id: toSubjectId('evidence', kind), label: `"${kind}"` }],
  ...toSourced({ source: firstSource(limits) }),
});

const failing = (detail: string, subjects: readonly Subject[], source: PolicySource | undefined): Condition => ({
  code: 'quality_gate_failing',
  detail,
  actor: 'team',
  subjects,
  ...toSourced({ source }),
});

const formatNumber = (value: number): string => (Math.round(value * 100) / 100).toString();
