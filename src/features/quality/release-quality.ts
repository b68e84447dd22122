import { type EffectiveEvidenceSet, selectVisibleItems } from '../../domain/evidence/effective-evidence-set.js';
import { RunCoverages } from '../../domain/evidence/run-coverage.js';
import { isTestKind } from '../../domain/evidence/evidence-status.js';
import { DEFAULT_POLICY } from '../../domain/policy/policy.js';
import { selectGatingEvidence } from '../../domain/quality/evidence-requirements.js';
import { effectiveLinePercent } from '../../domain/quality/quality-gates.js';
import { type Scorecard, buildScorecard } from '../../domain/quality/scorecard.js';
import type { QualityRelease } from './quality-releases.queries.js';
import type { QualityResultDto, ReleaseChangeDto } from './quality.dto.js';

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
  const all = evaluateWith(release, candidate?.shas ?? []);
  if (shippedScorecard) return { ...all, scorecard: shippedScorecard };
  if (evidenceMerge === null || evidenceMerge === candidate?.sha || !candidate?.shas.includes(evidenceMerge))
    return all;
  const unmerged = candidate.shas.filter((sha) => sha !== evidenceMerge);
  const others = evaluateWith(release, unmerged);
  return (others.scorecard.score ?? -1) < (all.scorecard.score ?? -1) ? others : all;
}

/** Evaluates the evidence of these commits. */
function evaluateWith(release: QualityRelease, shas: readonly string[]): ReleaseQuality {
  const { candidate, evidence, policy, predecessor, incomplete, runCoverages } = release;
  const before = predecessor?.linePercent ?? null;
  const coverages = new RunCoverages(runCoverages);
  const set = candidate
    ? selectGatingEvidence(evidence, { ...candidate, shas }, policy ?? DEFAULT_POLICY, before, null, coverages)
    : [];
  return { release, set, scorecard: buildScorecard(set, policy, before, incomplete) };
}

/** Whether its candidate has tests that can be compared. */
export const isTested = ({ release: { candidate, evidence } }: ReleaseQuality): boolean =>
  evidence.some(({ kind, commitSha }) => isTestKind(kind) && candidate?.shas.includes(commitSha) === true);

/** Lists the items that the verdict uses and the newest of the others, newest first. */
export const toQualityResults = ({ release, set }: ReleaseQuality): readonly QualityResultDto[] =>
  selectVisibleItems(release.evidence, set).map(({ item, evidenceId, status, decides }) => ({
    evidenceId,
    type: item.kind,
    environment: item.environment,
    pipeline: item.pipeline,
    commitSha: item.commitSha,
    metrics: item.metrics,
    status,
    decides,
    createdAt: item.receivedAt,
  }));

/** Builds the change of score and coverage since the predecessor. */
export function buildReleaseChange({
  release,
  set,
  scorecard,
}: ReleaseQuality): Omit<ReleaseChangeDto, 'tests'> | null {
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
