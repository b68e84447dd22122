import { hasFailedSibling } from '../evidence/completeness.js';
import { decidingSet, weighs, type DecidingSet } from '../evidence/deciding-set.js';
import type { EvidencePiece } from '../evidence/evidence.js';
import type { ConsultedFacts } from '../facts/tracked-facts.js';
import type { Policy } from '../policy/policy.js';
import { unmetEvidence } from './tests-passing.js';

/**
 * The evidence that decides for a candidate under a policy, without what can weigh in no verdict. Without facts nothing is known of
 * the other jobs of a run.
 */
export function decisiveSet(
  evidence: readonly EvidencePiece[],
  candidate: { readonly sha: string; readonly shas: readonly string[] },
  { evidencing: { requiredEvidence }, qualityGates }: Pick<Policy, 'evidencing' | 'qualityGates'>,
  predecessorLinePercent: number | null,
  known: { readonly facts: ConsultedFacts; readonly now: Date } | null = null,
): DecidingSet {
  const passes = (picked: DecidingSet): boolean =>
    unmetEvidence(picked, requiredEvidence, qualityGates, predecessorLinePercent).length === 0 &&
    !(known && hasFailedSibling(picked, known.facts, known.now));
  return decidingSet(evidence, candidate, passes).filter((slot) => weighs(slot, requiredEvidence));
}
