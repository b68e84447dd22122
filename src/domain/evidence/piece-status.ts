import { isMeasured, type EvidencePiece } from './evidence.js';
import { failuresOf } from './piece-failures.js';

export const PIECE_STATUSES = ['passed', 'failed', 'unmeasured'] as const;
export type PieceStatus = (typeof PIECE_STATUSES)[number];

/** What a piece says by itself: a document without numbers is no verdict, unless it says that it failed. */
export function pieceStatus(piece: EvidencePiece): PieceStatus {
  if (failuresOf(piece).length > 0) return 'failed';
  return isMeasured(piece.kind) && piece.metrics[piece.kind] !== undefined ? 'passed' : 'unmeasured';
}
