import { type EffectiveEvidenceSet, selectVisibleItems } from '../../domain/evidence/effective-evidence-set.js';
import type { EvidenceKind, Metrics } from '../../domain/evidence/evidence.js';
import { isTestKind, type EvidenceItemStatus } from '../../domain/evidence/evidence-status.js';
import { DEFAULT_POLICY } from '../../domain/policy/policy.js';
import { selectGatingEvidence } from '../../domain/quality/evidence-requirements.js';
import { effectiveLinePercent } from '../../domain/quality/quality-gates.js';
import { type Scorecard, buildScorecard } from '../../domain/quality/scorecard.js';
import type { ComparisonStatus } from '../../domain/quality/test-results.js';
import type { Stage } from '../../domain/release/stage.js';
import type { QualityRelease } from './quality-releases.queries.js';

/** A piece of evidence, as the quality list shows it. */
export interface QualityResult {
  readonly evidenceId: string;
  readonly type: EvidenceKind;
  readonly environment: string;
  readonly pipeline: string;
  readonly commitSha: string;
  /** Those of its type; empty where it has none. */
  readonly metrics: Metrics;
  readonly status: EvidenceItemStatus;
  /** The scorecard rests on it. */
  readonly decides: boolean;
  readonly createdAt: Date;
}

/** Tests by their names: how many they are, and the first 20. */
export interface NamedTests {
  readonly count: number;
  readonly names: readonly string[];
}

/** What became of the tests since the release that was shipped before. */
export interface TestChange {
  /** Tests that fail, and did not then. */
  readonly newFailures: NamedTests;
  /** Tests that ran then and do not run now. */
  readonly lostTests: NamedTests;
}

/** How a release differs from the one that was shipped last before it. */
export interface ReleaseChange {
  readonly against: { readonly milestoneId: string; readonly version: string };
  /** In points of the score; null where one of the two has none. */
  readonly score: number | null;
  /** In points of line coverage; null where one of the two measured none. */
  readonly coverage: number | null;
  /** Null unless `comparison` is `known`. */
  readonly tests: TestChange | null;
}

/** Tests of the candidate that failed and passed at the same commit, or that their report calls flaky. */
export interface FlakyTests extends NamedTests {
  /** Of all tests that ran, 0 to 1; null where none did. */
  readonly rate: number | null;
}

/** A release with its evidence and what that is worth. */
export interface ReleaseGroup {
  readonly milestoneId: string;
  readonly org: string;
  /** Without its organization. */
  readonly repo: string;
  readonly version: string;
  readonly stage: Stage;
  readonly scorecard: Scorecard;
  /** Null where nothing of the repository was shipped before. */
  readonly change: ReleaseChange | null;
  /** Null unless `comparison` is `known`. */
  readonly flaky: FlakyTests | null;
  readonly comparison: ComparisonStatus;
  /** What decides, and the newest of the rest up to 200; the newest first. */
  readonly results: readonly QualityResult[];
  /** How many results are not among them. */
  readonly moreResults: number;
}

/** What a release's evidence is worth. */
export interface ReleaseQuality {
  readonly release: QualityRelease;
  /** What decides for its candidate. */
  readonly set: EffectiveEvidenceSet;
  readonly scorecard: Scorecard;
}

/**
 * Judges by the rules of the verdict; a shipped release keeps the scorecard with which it was shipped. A verdict hears what was
 * uploaded for the merge of the evidence on a trunk, and not where the release has a branch of its own: the worse of both counts
 * here, so that it is never better than the gate.
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

/** By the evidence of these commits. */
function judgedBy(release: QualityRelease, shas: readonly string[]): ReleaseQuality {
  const { candidate, evidence, policy, predecessor, incomplete } = release;
  const before = predecessor?.linePercent ?? null;
  const set = candidate ? selectGatingEvidence(evidence, { ...candidate, shas }, policy ?? DEFAULT_POLICY, before) : [];
  return { release, set, scorecard: buildScorecard(set, policy, before, incomplete) };
}

/** Whether there are tests of its candidate, which a comparison could rest on. */
export const isTested = ({ release: { candidate, evidence } }: ReleaseQuality): boolean =>
  evidence.some(({ kind, commitSha }) => isTestKind(kind) && candidate?.shas.includes(commitSha) === true);

/** Those that decide and the newest of the rest, the newest first. */
export const toQualityResults = ({ release, set }: ReleaseQuality): readonly QualityResult[] =>
  selectVisibleItems(release.evidence, set).map(({ piece, evidenceId, status, decides }) => ({
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

/** How score and coverage differ from those of the release that was shipped before. */
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
