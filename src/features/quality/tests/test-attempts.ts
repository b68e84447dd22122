import { sha256 } from '../../../crypto/digests.js';
import { type EvidenceItem, type TestKind, uploadIdFromItemId } from '../../../domain/evidence/evidence.js';
import { isTestKind } from '../../../domain/evidence/evidence-status.js';
import { groupBy } from '../../../domain/evidence/latest-run.js';
import type { ReleaseQuality } from '../release-quality.js';

/** A piece of test evidence. */
export interface TestEvidenceItem extends EvidenceItem {
  readonly kind: TestKind;
  readonly evidenceId: string;
}

/** The test evidence that decides for a release's candidate. */
export const effectiveTests = ({ set }: ReleaseQuality): readonly TestEvidenceItem[] =>
  set.flatMap(({ pieces }) => pieces.flatMap(testPieceOf));

/** All test evidence of a release's candidate, as it was received. */
export const candidateTests = ({ release: { candidate, evidence } }: ReleaseQuality): readonly TestEvidenceItem[] =>
  evidence.filter(({ commitSha }) => candidate?.shas.includes(commitSha) === true).flatMap(testPieceOf);

/**
 * What may tell that a test is flaky: for each job of a pipeline, in an environment, the uploads of each of its tries
 * together. Jobs are kept apart because one of them may fail where another never does.
 */
export const groupAttempts = (
  pieces: readonly TestEvidenceItem[],
): readonly (readonly (readonly TestEvidenceItem[])[])[] =>
  [
    ...groupBy(pieces, ({ pipeline, kind, environment, job }) =>
      JSON.stringify([pipeline, kind, environment, job]),
    ).values(),
  ].map((ofJob) => [
    // Of uploads that name no run each may be a try.
    ...groupBy(ofJob, ({ run, attempt, id }) => JSON.stringify(run ? [run.id, attempt] : id)).values(),
  ]);

/** What a comparison of the release's tests rests on, as text; null where it has none. */
export function comparisonKey({ release: { candidate, evidence, predecessor }, set }: ReleaseQuality): string | null {
  const all = idsOfTests(evidence.filter(({ commitSha }) => candidate?.shas.includes(commitSha) === true));
  if (all.length === 0) return null;
  const deciding = idsOfTests(set.flatMap(({ pieces }) => pieces));
  return sha256(JSON.stringify([deciding, all, predecessor?.id ?? null]));
}

const idsOfTests = (pieces: readonly EvidenceItem[]): readonly string[] =>
  pieces
    .filter(({ kind }) => isTestKind(kind))
    .map(({ id }) => id)
    .toSorted();

function testPieceOf(piece: EvidenceItem): readonly TestEvidenceItem[] {
  const { kind } = piece;
  return isTestKind(kind) ? [{ ...piece, kind, evidenceId: uploadIdFromItemId(piece) }] : [];
}
