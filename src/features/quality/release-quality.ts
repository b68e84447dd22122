import { type EffectiveEvidenceSet, selectVisibleItems } from '../../domain/evidence/effective-evidence-set.js';
import type { EvidenceKind, Metrics } from '../../domain/evidence/evidence.js';
import { isTestKind, type EvidenceItemStatus } from '../../domain/evidence/evidence-status.js';
import { DEFAULT_POLICY } from '../../domain/policy/policy.js';
import { selectGatingEvidence } from '../../domain/quality/evidence-requirements.js';
import { effectiveLinePercent } from '../../domain/quality/quality-gates.js';
import { type Scorecard, buildScorecard } from '../../domain/quality/scorecard.js';
import type { ComparisonStatus } from '../../domain/quality/test-results.js';
import type { Stage } from '../../domain/facts/condition.js';
import type { QualityRelease } from './quality-releases.queries.js';

/** An evidence item in the quality list. */
export interface QualityResult {
  readonly evidenceId: string;
  readonly type: EvidenceKind;
  readonly environment: string;
  readonly pipeline: string;
  readonly commitSha: string;
  /** The metrics of its kind; empty if it has none. */
  readonly metrics: Metrics;
  readonly status: EvidenceItemStatus;
  /** Whether the scorecard uses it. */
  readonly decides: boolean;
  readonly createdAt: Date;
}

/** Tests by name: their number, and the first 20 names. */
export interface NamedTests {
  readonly count: number;
  readonly names: readonly string[];
}

/** The changes of tests since the predecessor. */
export interface TestChange {
  /** Tests that fail now and did not fail in the predecessor. */
  readonly newFailures: NamedTests;
  /** Tests that ran in the predecessor and do not run now. */
  readonly lostTests: NamedTests;
}

/** The difference between a release and its predecessor. */
export interface ReleaseChange {
  readonly against: { readonly milestoneId: string; readonly version: string };
  /** In points of the score; null if one of the two has none. */
  readonly score: number | null;
  /** In percentage points of line coverage; null if one of the two has none. */
  readonly coverage: number | null;
  /** Null unless `comparison` is `known`. */
  readonly tests: TestChange | null;
}

/** Tests of the candidate that failed and passed at the same commit, or that their report marks as flaky. */
export interface FlakyTests extends NamedTests {
  /** The share of all tests that ran, from 0 to 1; null if none ran. */
  readonly rate: number | null;
}

/** A release with its evidence and its quality. */
export interface ReleaseGroup {
  readonly milestoneId: string;
  readonly org: string;
  /** The name without the owner. */
  readonly repo: string;
  readonly version: string;
  readonly stage: Stage;
  readonly scorecard: Scorecard;
  /** Null if no release of the repository was shipped before. */
  readonly change: ReleaseChange | null;
  /** Null unless `comparison` is `known`. */
  readonly flaky: FlakyTests | null;
  readonly comparison: ComparisonStatus;
  /** The items that the verdict uses, and the newest others up to 200; newest first. */
  readonly results: readonly QualityResult[];
  /** The number of further results. */
  readonly moreResults: number;
}

/** The quality of a release with the evidence behind it. */
export interface ReleaseQuality {
  readonly release: QualityRelease;
  /** The effective evidence set of its candidate. */
  readonly set: EffectiveEvidenceSet;
  readonly scorecard: Scorecard;
}

/**
 * Evaluates by the rules of the verdict. A shipped release has the scorecard of the time of shipping. A verdict uses evidence
 * that was uploaded for the merge commit on a trunk, but not if the release has its own branch. The worse of both results counts,
 * so that the quality is never better than the gate.
 */
export function evaluateQuality(release: QualityRelease): ReleaseQuality {
  const { candidate, evidenceMerge, shippedScorecard } = release;
  const all = judgedBy(release, candidate?.shas ?? []);
  if (shippedScorecard) return { ...all, scorecard: shippedScorecard };
  if (evidenceMerge === null || evidenceMerge === candidate?.sha || !candidate?.shas.includes(evidenceMerge))
    return all;
  const unmerged = candidate.shas.filter((sha) => sha !== evidenceMerge);
  const others = judgedBy(release, unmerged);
  return (others.scorecard.score ?? -1) < (all.scorecard.score ?? -1) ? others : all;
}

/** Evaluates the evidence of these commits. */
function judgedBy(release: QualityRelease, shas: readonly string[]): ReleaseQuality {
  const { candidate, evidence, policy, predecessor, incomplete } = release;
  const before = predecessor?.linePercent ?? null;
  const set = candidate ? selectGatingEvidence(evidence, { ...candidate, shas }, policy ?? DEFAULT_POLICY, before) : [];
  return { release, set, scorecard: buildScorecard(set, policy, before, incomplete) };
}

/** Whether its candidate has tests that can be compared. */
export const isTested = ({ release: { candidate, evidence } }: ReleaseQuality): boolean =>
  evidence.some(({ kind, commitSha }) => isTestKind(kind) && candidate?.shas.includes(commitSha) === true);

/** Lists the items that the verdict uses and the newest of the others, newest first. */
export const toQualityResults = ({ release, set }: ReleaseQuality): readonly QualityResult[] =>
  selectVisibleItems(release.evidence, set).map(({ item: piece, evidenceId, status, decides }) => ({
    evidenceId,
    type: piece.kind,
    environment: piece.environment,
    pipeline: piece.pipeline,
    commitSha: piece.commitSha,
    metrics: piece.metrics,
    status,
    decides,
    createdAt: piece.receivedAt,
  }));

/** Builds the change of score and coverage since the predecessor. */
export function buildReleaseChange({ release, set, scorecard }: ReleaseQuality): Omit<ReleaseChange, 'tests'> | null {
  const { predecessor } = release;
  if (predecessor === null) return null;
  const { id: milestoneId, version, score, linePercent } = predecessor;
  const coverage = effectiveLinePercent(set.filter(({ kind }) => kind === 'coverage'));
  return {
    against: { milestoneId, version },
    score: difference(scorecard.score, score),
    coverage: difference(coverage, linePercent),
  };
}

const difference = (now: number | null, before: number | null): number | null =>
  now === null || before === null ? null : Math.round((now - before) * 100) / 100;
