import type { EvidenceKind, EvidencePiece } from './evidence.js';

/** An upload has at most one piece of a kind. */
export const pieceId = (uploadId: string, kind: EvidenceKind): string => `${uploadId}/${kind}`;

/** The id of the upload that a piece came with. */
export function uploadIdOf({ id }: Pick<EvidencePiece, 'id'>): string {
  const end = id.indexOf('/');
  return end < 0 ? id : id.slice(0, end);
}
