import { crc32 } from 'node:zlib';
import {
  MANIFEST_PATH,
  type PackedFile,
  type PackManifest,
  SIGNATURE_PATH,
  BLOCK_DIGEST_CHARACTERS,
  chooseBlockSize,
} from '../../domain/audit-pack/pack-manifest.js';
import { directory, localHeader, type ZipEntry } from '../../domain/audit-pack/zip-records.js';
import { blockCrc32, blockDigest, ContentDigests } from '../../crypto/content-digests.js';
import { candidateContents, type PackSignatureCheck } from './pack-signature.js';
import type { PackFile } from './pack-file.js';

/** The first place where a pack differs from the signed one. */
export interface Difference {
  /** The offset in the pack. */
  readonly offset: number;
  /** The number of bytes from the offset on that contain the difference; 1 if its place is known exactly. */
  readonly within: number;
  /** The file or record that contains it, and the offset in it; null after the end of the pack. */
  readonly of: string | null;
  readonly inside: number;
  /** The current byte; null if there is none or its place is not known exactly. */
  readonly is: number | null;
  /** The original byte; null if there was none or it is unknown. */
  readonly was: number | null;
}

const CHUNK_BYTES = 1_048_576;

/** Compares all bytes of a pack with the signed ones. Returns null if they are equal. */
export async function findFirstDifference(file: PackFile, signed: PackSignatureCheck): Promise<Difference | null> {
  const { manifest, manifestBytes, signatureBytes } = signed;
  const whole = (bytes: Buffer) => ({ bytes, crc32: crc32(bytes) });
  const { segments, size } = computeLayout(manifest, whole(manifestBytes), whole(signatureBytes));
  // After inserted or removed bytes, everything is shifted by their number.
  const shift = file.size - size;
  for (const segment of segments) {
    const difference = 'bytes' in segment ? await findInKnown(file, segment) : await findInHashed(file, segment, shift);
    if (difference) return difference;
  }
  if (shift === 0) return null;
  const [is = null] = await file.read(size, 1);
  return { offset: size, within: 1, of: null, inside: 0, is, was: null };
}

async function findInKnown(file: PackFile, { offset, of, bytes }: KnownSegment): Promise<Difference | null> {
  const found = await file.read(offset, bytes.length);
  const inside = bytes.findIndex((byte, at) => found[at] !== byte);
  if (inside === -1) return null;
  return { offset: offset + inside, within: 1, of, inside, is: found[inside] ?? null, was: bytes[inside] ?? null };
}

async function findInHashed(file: PackFile, segment: HashedSegment, shift: number): Promise<Difference | null> {
  const { offset, file: packed } = segment;
  if (file.size < offset + packed.size) return findInTruncated(file, segment, shift);
  const digests = new ContentDigests(packed.size);
  for (let at = 0; at < packed.size; at += CHUNK_BYTES) {
    digests.update(await file.read(offset + at, Math.min(CHUNK_BYTES, packed.size - at)));
  }
  const found = digests.finish();
  if (found.sha256 === packed.sha256) return null;
  return (await findFirstBlock(file, segment, packed.size, shift)) ?? differenceAt(segment, 0, packed.size);
}

/** Checks the rest of a content in which the file ends. If the rest is unchanged, its end is the first difference. */
async function findInTruncated(file: PackFile, segment: HashedSegment, shift: number): Promise<Difference> {
  const left = Math.max(0, file.size - segment.offset);
  const whole = left - (left % chooseBlockSize(segment.file.size));
  return (await findFirstBlock(file, segment, whole, shift)) ?? differenceAt(segment, left, 1);
}

/** Finds the first changed block, and in it the first changed byte if the original block can be derived. */
async function findFirstBlock(
  file: PackFile,
  segment: HashedSegment,
  size: number,
  shift: number,
): Promise<Difference | null> {
  const { offset, file: packed } = segment;
  const blockSize = chooseBlockSize(packed.size);
  for (let at = 0, block = 0; at < size; at += blockSize, block += 1) {
    const bytes = await file.read(offset + at, Math.min(blockSize, packed.size - at));
    const digest = packed.blocks.slice(block * BLOCK_DIGEST_CHARACTERS, (block + 1) * BLOCK_DIGEST_CHARACTERS);
    if (blockDigest(bytes) === digest) continue;
    const shifted = await file.read(Math.max(0, offset + at + shift), bytes.length);
    const original = findOriginalBlock(digest, bytes, shifted.length === bytes.length ? shifted : bytes);
    if (original === null) return differenceAt(segment, at, bytes.length);
    const inBlock = original.findIndex((byte, place) => bytes[place] !== byte);
    return { ...differenceAt(segment, at + inBlock, 1), is: bytes[inBlock] ?? null, was: original[inBlock] ?? null };
  }
  return null;
}

/** Derives the original block with the digest; null if too much was changed for its checksum. */
function findOriginalBlock(digest: string, found: Buffer, shifted: Buffer): Buffer | null {
  for (const original of candidateContents(blockCrc32(digest), found, shifted)) {
    if (blockDigest(original) === digest) return original;
  }
  return null;
}

const differenceAt = ({ offset, file }: HashedSegment, inside: number, within: number): Difference => ({
  offset: offset + inside,
  within,
  of: file.path,
  inside,
  is: null,
  was: null,
});

/** A section of a pack whose bytes are all known. */
interface KnownSegment {
  readonly offset: number;
  /** A description of the section. */
  readonly of: string;
  readonly bytes: Uint8Array;
}

/** A section of a pack whose digests are known: the content of a file. */
interface HashedSegment {
  readonly offset: number;
  readonly file: PackedFile;
}

type Segment = KnownSegment | HashedSegment;

/** A file whose bytes are all known. */
interface WholeFile {
  readonly bytes: Uint8Array;
  readonly crc32: number;
}

/** Builds the complete layout of a pack from its manifest and signature. */
function computeLayout(
  manifest: PackManifest,
  manifestFile: WholeFile,
  signatureFile: WholeFile,
): { readonly segments: readonly Segment[]; readonly size: number } {
  const modifiedAt = new Date(manifest.madeAt);
  const entries: ZipEntry[] = [];
  const segments: Segment[] = [];
  let offset = 0;
  const append = (of: string, bytes: Uint8Array): void => {
    segments.push({ offset, of, bytes });
    offset += bytes.length;
  };
  const appendHeader = (path: string, size: number, crc32: number): void => {
    entries.push({ path, size, crc32, offset });
    append(`the header of ${path}`, localHeader({ path, size, crc32 }, modifiedAt));
  };
  for (const file of manifest.files) {
    appendHeader(file.path, file.size, Number.parseInt(file.crc32, 16));
    segments.push({ offset, file });
    offset += file.size;
  }
  for (const [path, { bytes, crc32 }] of [
    [MANIFEST_PATH, manifestFile],
    [SIGNATURE_PATH, signatureFile],
  ] as const) {
    appendHeader(path, bytes.length, crc32);
    append(path, bytes);
  }
  for (const [at, bytes] of directory(entries, offset, modifiedAt).entries()) {
    const path = entries[at]?.path;
    append(path === undefined ? 'the end of the directory' : `the directory's entry of ${path}`, bytes);
  }
  return { segments, size: offset };
}
