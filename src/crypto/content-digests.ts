import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { chooseBlockSize, type PackedFile } from '../domain/audit-pack/pack-manifest.js';

const BLOCK_HASH_BYTES = 8;

/** The first bytes of the SHA-256 of a block and its CRC-32, in base64url. */
export function blockDigest(block: Uint8Array): string {
  const digest = Buffer.alloc(BLOCK_HASH_BYTES + 4);
  createHash('sha256').update(block).digest().copy(digest, 0, 0, BLOCK_HASH_BYTES);
  digest.writeUInt32BE(crc32(block), BLOCK_HASH_BYTES);
  return digest.toString('base64url');
}

/** The CRC-32 that the digest of a block holds. */
export const blockCrc32 = (digest: string): number => Buffer.from(digest, 'base64url').readUInt32BE(BLOCK_HASH_BYTES);

/** Formats a CRC-32 for the manifest. */
const crc32Text = (value: number): string => value.toString(16).padStart(8, '0');

/** Computes the digests of content with a known size, chunk by chunk. */
export class ContentDigests {
  private readonly hash = createHash('sha256');
  private readonly blockSize: number;
  private readonly blocks: string[] = [];
  private block: Buffer;
  private inBlock = 0;
  private checksum = 0;
  private size = 0;

  constructor(private readonly expectedSize: number) {
    this.blockSize = chooseBlockSize(expectedSize);
    this.block = Buffer.alloc(Math.min(this.blockSize, expectedSize));
  }

  update(chunk: Uint8Array): void {
    this.hash.update(chunk);
    this.checksum = crc32(chunk, this.checksum);
    this.size += chunk.length;
    if (this.size > this.expectedSize) throw new RangeError('The content is longer than its expected size.');
    for (let at = 0; at < chunk.length;) {
      const part = chunk.subarray(at, at + this.block.length - this.inBlock);
      this.block.set(part, this.inBlock);
      this.inBlock += part.length;
      at += part.length;
      if (this.inBlock === this.blockSize) this.endBlock();
    }
  }

  /** Returns the digests. Throws a RangeError if the content is shorter than expected. */
  finish(): Omit<PackedFile, 'path'> {
    if (this.size !== this.expectedSize) throw new RangeError('The content is shorter than its expected size.');
    if (this.inBlock > 0) this.endBlock();
    return {
      size: this.size,
      sha256: this.hash.digest('hex'),
      crc32: crc32Text(this.checksum),
      blocks: this.blocks.join(''),
    };
  }

  private endBlock(): void {
    this.blocks.push(blockDigest(this.block.subarray(0, this.inBlock)));
    this.inBlock = 0;
  }
}
