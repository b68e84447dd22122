import type { EffectiveEvidenceSet } from '../evidence/effective-evidence-set.js';
import { DEFAULT_POLICY, type Policy } from '../policy/policy.js';
import { getTraits } from '../facts/condition-catalogue.js';
import type { Condition } from '../facts/condition.js';
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

/** The grades, best first. */
export const GRADES = ['A', 'B', 'C', 'D', 'F'] as const;
export type Grade = (typeof GRADES)[number];

/** A limit of the grade, with its reason. */
interface ScoreCap {
  readonly grade: Grade;
  readonly reason: string;
}

/**
 * The score of a release by its evidence. A category without a measurement counts neither 100 nor 0: it is left out and
 * listed in `incomplete`.
 */
export interface Scorecard {
  /** The score, 0 to 100, rounded down to a tenth. Null if nothing was measured. */
  readonly score: number | null;
  readonly grade: Grade | null;
  /** All five categories in the order of their weights. */
  readonly categories: readonly CategoryScore[];
  /** The categories without a score. */
  readonly incomplete: readonly CategoryName[];
  readonly caps: readonly ScoreCap[];
}

/** The minimum score of each grade. */
const MIN_SCORES = [
  ['A', 90],
  ['B', 80],
  ['C', 70],
  ['D', 60],
] as const satisfies readonly (readonly [Grade, number])[];

/** The maximum score under a cap: a tenth below the next grade. */
const MAX_CAPPED_SCORES: Readonly<Partial<Record<Grade, number>>> = { C: 79.9, D: 69.9 };

/**
 * Scores the effective evidence set with the rules of the gate: a release whose gate is closed by its evidence never
 * has a good grade. `missingJobs` are the verdict's conditions for missing jobs. A null policy is not valid: the
 * requirements are unknown, so no grade is good.
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
  const caps = computeCaps(unmet, set, policy);
  const score = caps.reduce(
    (least, { grade }) => Math.min(least, MAX_CAPPED_SCORES[grade] ?? least),
    weightedMean(categories),
  );
  return { score, grade: gradeForScore(score), categories, incomplete, caps };
}

export const gradeForScore = (score: number): Grade => MIN_SCORES.find(([, least]) => score >= least)?.[0] ?? 'F';

/** Returns the weighted mean of the categories that have a score. */
function weightedMean(categories: readonly CategoryScore[]): number {
  const scored = categories.filter(({ score }) => score !== null);
  const weights = scored.reduce((sum, { weight }) => sum + weight, 0);
  return roundedDown(scored.reduce((sum, { weight, score }) => sum + weight * (score ?? 0), 0) / weights);
}

function computeCaps(
  unmet: readonly Condition[],
  set: EffectiveEvidenceSet,
  policy: Policy | null,
): readonly ScoreCap[] {
  const missing = unmet.filter(({ code }) => getTraits(code).isMissingEvidence);
  const failing = unmet.filter(({ code }) => !getTraits(code).isMissingEvidence);
  const caps: ScoreCap[] = [];
  if (failing.length > 0) caps.push({ grade: 'D', reason: summarize(failing) });
  if (hasCriticalFinding(set)) caps.push({ grade: 'C', reason: 'A critical finding is open.' });
  if (missing.length > 0) caps.push({ grade: 'C', reason: summarize(missing) });
  if (policy === null) caps.push({ grade: 'C', reason: 'It is not known what the policy requires.' });
  return caps;
}

const summarize = ([first, ...more]: readonly Condition[]): string =>
  `${first?.detail ?? ''}${more.length === 0 ? '' : ` And ${more.length} more.`}`;
