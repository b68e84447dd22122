/** The block size. One block is copied, or sent to the database, without a noticeable delay for other requests. */
export const BLOCK_BYTES = 1_048_576;

/** The bytes of some content in order. Each block has its own memory, so that it can be transferred to a thread. */
export type Blocks = readonly Uint8Array<ArrayBuffer>[];

/** Collects chunks of any size into blocks of one mebibyte, so that a large file is never copied at once. */
export class BlockBuffer {
  private readonly blocks: Uint8Array<ArrayBuffer>[] = [];
  private chunks: Uint8Array[] = [];
  private waiting = 0;

  add(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length;) {
      const next = chunk.subarray(at, at + BLOCK_BYTES - this.waiting);
      this.chunks.push(next);
      this.waiting += next.length;
      at += next.length;
      if (this.waiting === BLOCK_BYTES) this.gather();
    }
  }

  /** Returns all blocks. Empty if nothing was added. */
  end(): Blocks {
    if (this.waiting > 0) this.gather();
    return this.blocks;
  }

  private gather(): void {
    const block = new Uint8Array(this.waiting);
    let at = 0;
    for (const chunk of this.chunks) {
      block.set(chunk, at);
      at += chunk.length;
    }
    this.blocks.push(block);
    this.chunks = [];
    this.waiting = 0;
  }
}

/** Splits complete bytes into blocks. */
export function toBlocks(bytes: Uint8Array): Blocks {
  const gatherer = new BlockBuffer();
  gatherer.add(bytes);
  return gatherer.end();
}

/** Returns the total size of the blocks, in bytes. */
export const totalSize = (blocks: Blocks): number => blocks.reduce((size, { length }) => size + length, 0);
