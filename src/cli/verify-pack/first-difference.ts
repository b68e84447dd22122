import { crc32 } from 'node:zlib';
import { type HashedSegment, type KnownSegment, computeLayout } from '../../domain/audit-pack/pack-layout.js';
import { BLOCK_DIGEST_CHARACTERS, chooseBlockSize } from '../../domain/audit-pack/pack-manifest.js';
import { blockCrc32, blockDigest, ContentDigests } from '../../features/audit-pack/pack-writer.js';
import { candidateContents } from './content-repair.js';
import type { PackFile } from './pack-file.js';
import type { PackSignatureCheck } from './pack-signature.js';

/** The first place where a pack is not what it was. */
export interface Difference {
  /** In the pack. */
  readonly offset: number;
  /** How many bytes from there on the change lies within: 1 where it is known exactly. */
  readonly within: number;
  /** The file or the record that it lies in, and where in it; null for what lies behind the end. */
  readonly of: string | null;
  readonly inside: number;
  /** The byte that is there; null where none is, or where the place is not known exactly. */
  readonly is: number | null;
  /** The byte that was there; null likewise. */
  readonly was: number | null;
}

const PIECE_BYTES = 1_048_576;

/** Compares a pack, from the first byte to the last, with what was signed; null where it is that. */
export async function findFirstDifference(file: PackFile, seal: PackSignatureCheck): Promise<Difference | null> {
  const { manifest, manifestBytes, signatureBytes } = seal;
  const whole = (bytes: Buffer) => ({ bytes, crc32: crc32(bytes) });
  const { stretches, size } = computeLayout(manifest, whole(manifestBytes), whole(signatureBytes));
  // Where something was added or taken out, all that lies behind it stands elsewhere by as much.
  const shift = file.size - size;
  for (const stretch of stretches) {
    const change = 'bytes' in stretch ? await inKnown(file, stretch) : await inDigested(file, stretch, shift);
    if (change) return change;
  }
  if (shift === 0) return null;
  const [is = null] = await file.read(size, 1);
  return { offset: size, within: 1, of: null, inside: 0, is, was: null };
}

async function inKnown(file: PackFile, { offset, of, bytes }: KnownSegment): Promise<Difference | null> {
  const found = await file.read(offset, bytes.length);
  const inside = bytes.findIndex((byte, at) => found[at] !== byte);
  if (inside === -1) return null;
  return { offset: offset + inside, within: 1, of, inside, is: found[inside] ?? null, was: bytes[inside] ?? null };
}

async function inDigested(file: PackFile, stretch: HashedSegment, shift: number): Promise<Difference | null> {
  const { offset, file: packed } = stretch;
  if (file.size < offset + packed.size) return inCutOff(file, stretch, shift);
  const digests = new ContentDigests(packed.size);
  for (let at = 0; at < packed.size; at += PIECE_BYTES) {
    digests.update(await file.read(offset + at, Math.min(PIECE_BYTES, packed.size - at)));
  }
  const found = digests.finish();
  if (found.sha256 === packed.sha256) return null;
  return (await firstBlock(file, stretch, packed.size, shift)) ?? placeIn(stretch, 0, packed.size);
}

/** What is left of a content that the file ends in; where that is whole, its end is the first change. */
async function inCutOff(file: PackFile, stretch: HashedSegment, shift: number): Promise<Difference> {
  const left = Math.max(0, file.size - stretch.offset);
  const whole = left - (left % chooseBlockSize(stretch.file.size));
  return (await firstBlock(file, stretch, whole, shift)) ?? placeIn(stretch, left, 1);
}

/** The first block that is another one; within it the first byte, where it can be told what the block was. */
async function firstBlock(
  file: PackFile,
  stretch: HashedSegment,
  size: number,
  shift: number,
): Promise<Difference | null> {
  const { offset, file: packed } = stretch;
  const blockSize = chooseBlockSize(packed.size);
  for (let at = 0, block = 0; at < size; at += blockSize, block += 1) {
    const bytes = await file.read(offset + at, Math.min(blockSize, packed.size - at));
    const digest = packed.blocks.slice(block * BLOCK_DIGEST_CHARACTERS, (block + 1) * BLOCK_DIGEST_CHARACTERS);
    if (blockDigest(bytes) === digest) continue;
    const shifted = await file.read(Math.max(0, offset + at + shift), bytes.length);
    const former = formerBlock(digest, bytes, shifted.length === bytes.length ? shifted : bytes);
    if (former === null) return placeIn(stretch, at, bytes.length);
    const inBlock = former.findIndex((byte, place) => bytes[place] !== byte);
    return { ...placeIn(stretch, at + inBlock, 1), is: bytes[inBlock] ?? null, was: former[inBlock] ?? null };
  }
  return null;
}

/** What a block was that has the digest; null where more of it was changed than its checksum can make up for. */
function formerBlock(digest: string, found: Buffer, shifted: Buffer): Buffer | null {
  for (const former of candidateContents(blockCrc32(digest), found, shifted)) {
    if (blockDigest(former) === digest) return former;
  }
  return null;
}

const placeIn = ({ offset, file }: HashedSegment, inside: number, within: number): Difference => ({
  offset: offset + inside,
  within,
  of: file.path,
  inside,
  is: null,
  was: null,
});
