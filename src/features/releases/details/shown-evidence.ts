import type { DecidingSet } from '../../../domain/evidence/deciding-set.js';
import type { EvidencePiece } from '../../../domain/evidence/evidence.js';
import { failuresOf } from '../../../domain/evidence/piece-failures.js';
import { shownPieces } from '../../../domain/evidence/shown-pieces.js';
import type { ShownEvidence } from './release-details.js';

/** The pieces that decide and the newest of the others, the newest first, and how many are left out. */
export function showEvidence(
  pieces: readonly EvidencePiece[],
  set: DecidingSet,
  runUrls: ReadonlyMap<string, string>,
): { readonly shown: readonly ShownEvidence[]; readonly more: number } {
  const shown = shownPieces(pieces, set).map((one) => ({
    ...one,
    failures: failuresOf(one.piece),
    runUrl: runUrls.get(one.piece.id) ?? null,
  }));
  return { shown, more: pieces.length - shown.length };
}
