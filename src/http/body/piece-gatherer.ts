/** So much is copied, or handed to the database, without keeping anybody waiting who is to be answered meanwhile. */
export const PIECE_BYTES = 1_048_576;

/** The bytes of some content one after the other; each piece has memory of its own, which may be handed to a thread. */
export type Pieces = readonly Uint8Array<ArrayBuffer>[];

/** Makes pieces of a megabyte of bytes that come in chunks of any size: a file of many is never copied at once. */
export class PieceGatherer {
  private readonly pieces: Uint8Array<ArrayBuffer>[] = [];
  private chunks: Uint8Array[] = [];
  private waiting = 0;

  add(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length;) {
      const next = chunk.subarray(at, at + PIECE_BYTES - this.waiting);
      this.chunks.push(next);
      this.waiting += next.length;
      at += next.length;
      if (this.waiting === PIECE_BYTES) this.gather();
    }
  }

  /** All that was added; of nothing there is no piece. */
  end(): Pieces {
    if (this.waiting > 0) this.gather();
    return this.pieces;
  }

  private gather(): void {
    const piece = new Uint8Array(this.waiting);
    let at = 0;
    for (const chunk of this.chunks) {
      piece.set(chunk, at);
      at += chunk.length;
    }
    this.pieces.push(piece);
    this.chunks = [];
    this.waiting = 0;
  }
}

/** The same of bytes that are all there. */
export function piecesOf(bytes: Uint8Array): Pieces {
  const gatherer = new PieceGatherer();
  gatherer.add(bytes);
  return gatherer.end();
}

/** How many bytes they are together. */
export const sizeOf = (pieces: Pieces): number => pieces.reduce((size, { length }) => size + length, 0);
