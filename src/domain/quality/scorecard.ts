import type { EffectiveEvidenceSet } from '../evidence/effective-evidence-set.js';
import { DEFAULT_POLICY, type Policy } from '../policy/policy.js';
import type { Condition } from '../release/stage.js';
import { unmetEvidence } from './evidence-requirements.js';
import {
  completenessCategory,
  coverageCategory,
  findingsCategory,
  hasCriticalFinding,
  roundedDown,
  testsCategory,
  type CategoryName,
  type CategoryScore,
} from './score-category.js';

/** From the best to the worst. */
export const GRADES = ['A', 'B', 'C', 'D', 'F'] as const;
export type Grade = (typeof GRADES)[number];

/** Why a scorecard's grade is no better than this, however well the rest was done. */
interface ScoreCap {
  readonly grade: Grade;
  readonly reason: string;
}

/** How good a release is by its evidence. What was not measured is neither 100 nor 0: it is left out, and named. */
export interface Scorecard {
  /** 0 to 100, rounded down to a tenth; null where nothing was measured. */
  readonly score: number | null;
  readonly grade: Grade | null;
  /** All five, in the order of their weights. */
  readonly categories: readonly CategoryScore[];
  /** Those without a score. */
  readonly incomplete: readonly CategoryName[];
  readonly caps: readonly ScoreCap[];
}

/** The least score of each grade. */
const LEAST = [
  ['A', 90],
  ['B', 80],
  ['C', 70],
  ['D', 60],
] as const satisfies readonly (readonly [Grade, number])[];

/** The highest score of the grades to which something may cap, a tenth below the next one. */
const HIGHEST: Readonly<Partial<Record<Grade, number>>> = { C: 79.9, D: 69.9 };

/** Conditions that say that something is not there; all others say that what is there is not good. */
const MISSING: readonly string[] = [
  'evidence_missing',
  'evidence_incomplete',
  'quality_evidence_missing',
  'too_few_tests',
];

/**
 * Scores what decides for a candidate, by the rules that the gate goes by: what keeps the gate closed never has a good
 * grade. `missingJobs` is what the verdict found missing of the runs that brought the evidence. Without a valid policy (null)
 * nobody knows what is required, so that the gate is closed and no grade is good.
 */
export function buildScorecard(
  set: EffectiveEvidenceSet,
  policy: Policy | null,
  predecessorLinePercent: number | null,
  missingJobs: readonly Condition[] = [],
): Scorecard {
  const { qualityGates: gates, evidencing } = policy ?? DEFAULT_POLICY;
  const measured = [
    testsCategory(set),
    coverageCategory(set, gates, predecessorLinePercent),
    findingsCategory('sast', set, gates),
    findingsCategory('vulnerabilities', set, gates),
  ];
  const isMeasured = measured.some(({ score }) => score !== null);
  const categories = [...measured, completenessCategory(set, isMeasured ? policy : null)];
  const incomplete = categories.filter(({ score }) => score === null).map(({ name }) => name);
  if (!isMeasured) return { score: null, grade: null, categories, incomplete, caps: [] };
  const found = unmetEvidence(set, evidencing.requiredEvidence, gates, predecessorLinePercent);
  const unmet = [...found, ...missingJobs.filter(({ detail }) => !found.some((one) => one.detail === detail))];
  const caps = capsOf(unmet, set, policy);
  const score = caps.reduce((least, { grade }) => Math.min(least, HIGHEST[grade] ?? least), meanOf(categories));
  return { score, grade: gradeForScore(score), categories, incomplete, caps };
}

/** The grade of a score. */
export const gradeForScore = (score: number): Grade => LEAST.find(([, least]) => score >= least)?.[0] ?? 'F';

/** By weight, over what has a score. */
function meanOf(categories: readonly CategoryScore[]): number {
  const scored = categories.filter(({ score }) => score !== null);
  const weights = scored.reduce((sum, { weight }) => sum + weight, 0);
  return roundedDown(scored.reduce((sum, { weight, score }) => sum + weight * (score ?? 0), 0) / weights);
}

function capsOf(unmet: readonly Condition[], set: EffectiveEvidenceSet, policy: Policy | null): readonly ScoreCap[] {
  const missing = unmet.filter(({ code }) => MISSING.includes(code));
  const failing = unmet.filter(({ code }) => !MISSING.includes(code));
  const caps: ScoreCap[] = [];
  if (failing.length > 0) caps.push({ grade: 'D', reason: summaryOf(failing) });
  if (hasCriticalFinding(set)) caps.push({ grade: 'C', reason: 'A critical finding is open.' });
  if (missing.length > 0) caps.push({ grade: 'C', reason: summaryOf(missing) });
  if (policy === null) caps.push({ grade: 'C', reason: 'It is not known what the policy requires.' });
  return caps;
}

const summaryOf = ([first, ...more]: readonly Condition[]): string =>
  `${first?.detail ?? ''}${more.length === 0 ? '' : ` And ${more.length} more.`}`;
