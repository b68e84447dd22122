import { ConsultedFacts } from '../facts/tracked-facts.js';
import { releaseAuthors } from '../review/release-authors.js';
import type { Verdict, VerdictInputs } from './evaluate.js';

/** Who wrote the candidate of a verdict, by what that was derived from; null where it does not tell. */
export function candidateAuthors(
  { candidateSha, developmentHead }: Pick<Verdict, 'candidateSha' | 'developmentHead'>,
  { record, observations }: Pick<VerdictInputs, 'record' | 'observations'>,
): ReadonlySet<number> | null {
  if (candidateSha === null) return null;
  const predecessorSha = record.predecessor?.candidateSha ?? null;
  return releaseAuthors({ candidateSha, predecessorSha, developmentHead }, new ConsultedFacts(observations));
}
