import type { DecidingSet } from '../../domain/evidence/deciding-set.js';
import type { EvidencePiece } from '../../domain/evidence/evidence.js';
import { failuresOf } from '../../domain/evidence/piece-failures.js';
import { pieceStatus } from '../../domain/evidence/piece-status.js';
import type { ShownEvidence } from './release-details.js';

/** Pieces that decide nothing are shown up to this many: a release may have thousands. */
const OTHERS_SHOWN = 200;

/** The pieces that decide and the newest of the others, the newest first, and how many are left out. */
export function showEvidence(
  pieces: readonly EvidencePiece[],
  set: DecidingSet,
  runUrls: ReadonlyMap<string, string>,
): { readonly shown: readonly ShownEvidence[]; readonly more: number } {
  const deciding = new Set(set.flatMap((slot) => slot.pieces.map(({ id }) => id)));
  const newestFirst = pieces.toReversed();
  const others = newestFirst.filter(({ id }) => !deciding.has(id));
  const leftOut = new Set(others.slice(OTHERS_SHOWN).map(({ id }) => id));
  const shown = newestFirst
    .filter(({ id }) => !leftOut.has(id))
    .map((piece) => ({
      piece,
      evidenceId: piece.id.split('/', 1)[0] ?? piece.id,
      status: pieceStatus(piece),
      failures: failuresOf(piece),
      decides: deciding.has(piece.id),
      runUrl: runUrls.get(piece.id) ?? null,
    }));
  return { shown, more: leftOut.size };
}
