/** So much is copied, or handed to the database, without keeping anybody waiting who is to be answered meanwhile. */
export const BLOCK_BYTES = 1_048_576;

/** The bytes of some content one after the other; each block has memory of its own, which may be handed to a thread. */
export type Blocks = readonly Uint8Array<ArrayBuffer>[];

/** Makes blocks of a megabyte of bytes that come in chunks of any size: a file of many is never copied at once. */
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

  /** All that was added; of nothing there is no block. */
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

/** The same of bytes that are all there. */
export function toBlocks(bytes: Uint8Array): Blocks {
  const gatherer = new BlockBuffer();
  gatherer.add(bytes);
  return gatherer.end();
}

/** How many bytes they are together. */
export const totalSize = (blocks: Blocks): number => blocks.reduce((size, { length }) => size + length, 0);
