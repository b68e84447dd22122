import type { DecidingSet } from './deciding-set.js';
import type { EvidencePiece } from './evidence.js';
import { uploadIdOf } from './piece-id.js';
import { pieceStatus, type PieceStatus } from './piece-status.js';

/** Pieces that decide nothing are shown up to this many: a release may have thousands. */
export const OTHERS_SHOWN = 200;

/** A piece of evidence as people are shown it. */
export interface ShownPiece {
  readonly piece: EvidencePiece;
  /** The id of the upload that it came with. */
  readonly evidenceId: string;
  readonly status: PieceStatus;
  /** The verdict rests on it. */
  readonly decides: boolean;
}

/** Of pieces as they were received those that decide and the newest of the others, the newest first. */
export function shownPieces(pieces: readonly EvidencePiece[], set: DecidingSet): readonly ShownPiece[] {
  const deciding = new Set<string>();
  for (const slot of set) for (const { id } of slot.pieces) deciding.add(id);
  const shown: ShownPiece[] = [];
  let others = 0;
  for (const piece of pieces.toReversed()) {
    const decides = deciding.has(piece.id);
    if (!decides && ++others > OTHERS_SHOWN) continue;
    shown.push({ piece, evidenceId: uploadIdOf(piece), status: pieceStatus(piece), decides });
  }
  return shown;
}
