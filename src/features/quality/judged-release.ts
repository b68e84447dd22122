import type { DecidingSet } from '../../domain/evidence/deciding-set.js';
import { isTestKind } from '../../domain/evidence/piece-failures.js';
import { shownPieces } from '../../domain/evidence/shown-pieces.js';
import { DEFAULT_POLICY } from '../../domain/policy/default-policy.js';
import { decisiveSet } from '../../domain/quality/decisive-set.js';
import { linePercentOf } from '../../domain/quality/quality-gates.js';
import { scorecardOf, type Scorecard } from '../../domain/quality/scorecard.js';
import type { QualityRelease } from './quality-releases.reader.js';
import type { QualityResult, ReleaseChange } from './release-group.js';

/** What a release's evidence is worth. */
export interface JudgedRelease {
  readonly release: QualityRelease;
  /** What decides for its candidate. */
  readonly set: DecidingSet;
  readonly scorecard: Scorecard;
}

/**
 * Judges by the rules of the verdict; a shipped release keeps the scorecard with which it was shipped. A verdict hears what was
 * uploaded for the merge of the evidence on a trunk, and not where the release has a branch of its own: the worse of both counts
 * here, so that it is never better than the gate.
 */
export function judged(release: QualityRelease): JudgedRelease {
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
function judgedBy(release: QualityRelease, shas: readonly string[]): JudgedRelease {
  const { candidate, evidence, policy, predecessor, incomplete } = release;
  const before = predecessor?.linePercent ?? null;
  const set = candidate ? decisiveSet(evidence, { ...candidate, shas }, policy ?? DEFAULT_POLICY, before) : [];
  return { release, set, scorecard: scorecardOf(set, policy, before, incomplete) };
}

/** Whether there are tests of its candidate, which a comparison could rest on. */
export const isTested = ({ release: { candidate, evidence } }: JudgedRelease): boolean =>
  evidence.some(({ kind, commitSha }) => isTestKind(kind) && candidate?.shas.includes(commitSha) === true);

/** Those that decide and the newest of the rest, the newest first. */
export const resultsOf = ({ release, set }: JudgedRelease): readonly QualityResult[] =>
  shownPieces(release.evidence, set).map(({ piece, evidenceId, status, decides }) => ({
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
export function changeOf({ release, set, scorecard }: JudgedRelease): Omit<ReleaseChange, 'tests'> | null {
  const { predecessor } = release;
  if (predecessor === null) return null;
  const { id: milestoneId, version, score, linePercent } = predecessor;
  const coverage = linePercentOf(set.filter(({ kind }) => kind === 'coverage'));
  return {
    against: { milestoneId, version },
    score: difference(scorecard.score, score),
    coverage: difference(coverage, linePercent),
  };
}

const difference = (now: number | null, before: number | null): number | null =>
  now === null || before === null ? null : Math.round((now - before) * 100) / 100;
