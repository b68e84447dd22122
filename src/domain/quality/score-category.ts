import type { EffectiveEvidenceSet } from '../evidence/effective-evidence-set.js';
import { type EvidenceItem, isCount, type SeverityMetrics } from '../evidence/evidence.js';
import { evidenceFailures, isTestKind, getTestMetrics } from '../evidence/evidence-status.js';
import type { Policy, QualityGates } from '../policy/policy.js';
import { unmetRequirement } from './evidence-requirements.js';
import {
  hasSeverityCounts,
  coverageGate,
  effectiveLinePercent,
  setsLimit,
  severityGate,
  statedLinePercent,
} from './quality-gates.js';

export const CATEGORY_NAMES = ['tests', 'coverage', 'sast', 'vulnerabilities', 'completeness'] as const;
export type CategoryName = (typeof CATEGORY_NAMES)[number];

export const CATEGORY_STATUSES = ['passed', 'failed', 'incomplete'] as const;
export type CategoryStatus = (typeof CATEGORY_STATUSES)[number];

/** One category of a scorecard. */
export interface CategoryScore {
  readonly name: CategoryName;
  /** The weight in percent if every category has a score. */
  readonly weight: number;
  /** The score, 0 to 100. Null if it was not measured. */
  readonly score: number | null;
  readonly status: CategoryStatus;
  /** A sentence for display. */
  readonly detail: string;
}

const WEIGHTS: Readonly<Record<CategoryName, number>> = {
  tests: 40,
  coverage: 25,
  sast: 15,
  vulnerabilities: 15,
  completeness: 5,
};

/** The kind of evidence with the findings of each category. */
const FINDINGS = { sast: 'sast_scan', vulnerabilities: 'security' } as const;

/**
 * The points that one finding costs. One critical finding weighs as much as four high, twenty medium or a hundred and
 * sixty low ones.
 */
const COSTS: Readonly<SeverityMetrics> = { critical: 40, high: 10, medium: 2, low: 0.25 };

/**
 * Scores the share of passed tests among those that ran. A flaky test counts half. A skipped test does not count. A
 * report that failed without a failed test counts as one failed test.
 */
export function testsCategory(set: EffectiveEvidenceSet): CategoryScore {
  const items = set.flatMap((group) => (isTestKind(group.kind) ? group.items : []));
  if (items.length === 0) return incomplete('tests', 'No tests of the candidate were uploaded.');
  const sum = { passed: 0, failed: 0, skipped: 0, flaky: 0 };
  for (const item of items) {
    const { passed, failed, skipped, flaky } = soundCounts(item);
    sum.passed += passed;
    sum.failed += evidenceFailures(item).length > 0 ? Math.max(1, failed) : failed;
    sum.skipped += skipped;
    sum.flaky += Math.min(flaky, passed);
  }
  const ran = sum.passed + sum.failed;
  return scored(
    'tests',
    ((sum.passed - sum.flaky / 2) / ran) * 100,
    sum.failed > 0,
    `${sum.passed} of ${ran} tests passed; ${sum.flaky} were flaky, and ${sum.skipped} skipped.`,
  );
}

/** Scores the line coverage of the candidate: one point per percent. */
export function coverageCategory(
  set: EffectiveEvidenceSet,
  gates: QualityGates,
  predecessorLinePercent: number | null,
): CategoryScore {
  const groups = set.filter(({ kind }) => kind === 'coverage');
  if (groups.length === 0) return incomplete('coverage', 'No coverage of the candidate was uploaded.');
  const stated = stating('coverage', groups);
  const percent = effectiveLinePercent(stated);
  if (percent === null) return incomplete('coverage', 'The coverage of the candidate states no line coverage.');
  const [unmet] = coverageGate(gates.coverage, groups, predecessorLinePercent);
  const rounded = Math.round(percent * 100) / 100;
  return scored(
    'coverage',
    percent,
    unmet !== undefined || anyFails(groups),
    `${rounded} % of the lines are covered.${silence(groups, stated)}`,
  );
}

/** Scores the findings: 100 points minus their costs. */
export function findingsCategory(
  name: keyof typeof FINDINGS,
  set: EffectiveEvidenceSet,
  gates: QualityGates,
): CategoryScore {
  const kind = FINDINGS[name];
  const groups = set.filter((group) => group.kind === kind);
  if (groups.length === 0) return incomplete(name, `No "${kind}" evidence of the candidate was uploaded.`);
  const stated = stating(kind, groups);
  if (stated.length === 0) return incomplete(name, `The "${kind}" evidence of the candidate states no findings.`);
  const findings = stated.flatMap(({ items }) => items.map(({ metrics }) => metrics[kind])).filter(hasSeverityCounts);
  const count = (severity: keyof SeverityMetrics): number => findings.reduce((sum, found) => sum + found[severity], 0);
  const found = { critical: count('critical'), high: count('high'), medium: count('medium'), low: count('low') };
  const cost =
    found.critical * COSTS.critical + found.high * COSTS.high + found.medium * COSTS.medium + found.low * COSTS.low;
  const [unmet] = severityGate(kind, kind === 'sast_scan' ? gates.sastScan : gates.security, groups);
  return scored(
    name,
    Math.max(0, 100 - cost),
    found.critical > 0 || unmet !== undefined || anyFails(groups),
    `${found.critical} critical, ${found.high} high, ${found.medium} medium and ${found.low} low findings.${silence(groups, stated)}`,
  );
}

/**
 * Scores the share of required evidence that was uploaded: tests, the policy's required evidence, and the evidence that
 * its quality gates measure.
 */
export function completenessCategory(set: EffectiveEvidenceSet, policy: Policy | null): CategoryScore {
  if (policy === null) return incomplete('completeness', 'It is not known what the policy requires.');
  const { evidencing, qualityGates: gates } = policy;
  const lacking = evidencing.requiredEvidence.flatMap((requirement) =>
    unmetRequirement(requirement, set)
      .slice(0, 1)
      .map(({ detail }) => detail),
  );
  let all = evidencing.requiredEvidence.length + 1;
  if (!set.some(({ kind }) => isTestKind(kind))) lacking.push('There are no tests.');
  for (const [kind, limits] of [
    ['coverage', gates.coverage],
    ['sast_scan', gates.sastScan],
    ['security', gates.security],
  ] as const) {
    if (!setsLimit(limits)) continue;
    all += 1;
    if (stating(kind, set).length === 0) lacking.push(`There is no "${kind}" evidence for a quality gate.`);
  }
  const there = all - lacking.length;
  const [first = ''] = lacking;
  return scored(
    'completeness',
    (there / all) * 100,
    lacking.length > 0,
    `${there} of ${all} requirements for evidence are met.${first && ` ${first}`}`,
  );
}

/** Returns whether a critical finding is open. */
export const hasCriticalFinding = (set: EffectiveEvidenceSet): boolean =>
  set.some(({ items }) =>
    items.some(({ metrics }) =>
      [metrics.sast_scan, metrics.security].some((found) => hasSeverityCounts(found) && found.critical > 0),
    ),
  );

/**
 * Returns the groups of a kind without the items that have no measurement. An empty report must not hide the findings
 * of the others.
 */
function stating(kind: 'coverage' | 'sast_scan' | 'security', set: EffectiveEvidenceSet): EffectiveEvidenceSet {
  const states = ({ metrics }: EvidenceItem): boolean =>
    kind === 'coverage' ? statedLinePercent(metrics.coverage) !== null : hasSeverityCounts(metrics[kind]);
  const groups = set.filter((group) => group.kind === kind);
  // The common case, which needs no copy.
  if (groups.every(({ items }) => items.length > 0 && items.every(states))) return groups;
  return groups
    .map((group) => ({ ...group, items: group.items.filter(states) }))
    .filter(({ items }) => items.length > 0);
}

/** Returns an addition to the sentence if some items have no measurement. Empty otherwise. */
function silence(all: EffectiveEvidenceSet, stated: EffectiveEvidenceSet): string {
  const silent = countItems(all) - countItems(stated);
  return silent === 0 ? '' : ` The score is partial: ${silent} of ${countItems(all)} evidence items state no value.`;
}

const countItems = (set: EffectiveEvidenceSet): number => set.reduce((sum, { items }) => sum + items.length, 0);

const scored = (name: CategoryName, score: number, isFailing: boolean, detail: string): CategoryScore => ({
  name,
  weight: WEIGHTS[name],
  score: roundedDown(score),
  status: isFailing ? 'failed' : 'passed',
  detail,
});

/**
 * Rounds down to a tenth, so that rounding never improves the grade. A small tolerance compensates for errors of adding
 * fractions.
 */
export const roundedDown = (score: number): number => Math.floor((score + 1e-9) * 10) / 10;

const incomplete = (name: CategoryName, detail: string): CategoryScore => ({
  name,
  weight: WEIGHTS[name],
  score: null,
  status: 'incomplete',
  detail,
});

/** Returns the test counts of an item. Zero for each count if one of them is invalid. */
function soundCounts(item: EvidenceItem): Readonly<Record<'passed' | 'failed' | 'skipped' | 'flaky', number>> {
  const { passed = 0, failed = 0, skipped = 0, flaky = 0 } = getTestMetrics(item) ?? {};
  return [passed, failed, skipped, flaky].every(isCount)
    ? { passed, failed, skipped, flaky }
    : { passed: 0, failed: 0, skipped: 0, flaky: 0 };
}

const anyFails = (set: EffectiveEvidenceSet): boolean =>
  set.some(({ items }) => items.some((item) => evidenceFailures(item).length > 0));
