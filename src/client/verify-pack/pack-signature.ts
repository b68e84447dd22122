import { isDeepStrictEqual } from 'node:util';
import { crc32 } from 'node:zlib';
import {
  MANIFEST_PATH,
  type PackManifest,
  type PackSignature,
  readManifest,
  readSignature,
  SIGNATURE_PATH,
} from '../../domain/audit-pack/pack-manifest.js';
import {
  DIRECTORY_ENTRY_BYTES,
  DIRECTORY_SIGNATURE,
  END_BYTES,
  END_SIGNATURE,
  LOCAL_HEADER_BYTES,
  LOCAL_HEADER_SIGNATURE,
} from '../../domain/audit-pack/zip-records.js';
import { isSignedBy, jwkThumbprint } from '../../crypto/public-key.js';
import type { PackFile } from './pack-file.js';
import { changedBytes, changedPairs, findFormerContents } from '../../domain/audit-pack/checksum-repair.js';

/** A range of bytes with the checksum that the zip records state for it. */
interface FileRange {
  readonly offset: number;
  readonly size: number;
  readonly crc32: number;
}

export interface ManifestLocation {
  readonly manifest: FileRange;
  readonly signature: FileRange;
}

/** Larger than any directory or manifest of a pack. */
const MAX_BYTES = 268_435_456;
const MAX_FILES = 2_000_000;
/** About ten times the size of a signature. */
const MAX_SIGNATURE_BYTES = 4_096;
/** The size of the zip64 end with its locator, and the position of the directory's size in it. */
const ZIP64_RECORDS_BYTES = 76;
const ZIP64_SIZE_AT = 40;
const BEYOND_16_BITS = 0xffff;
const BEYOND_32_BITS = 0xffffffff;

/**
 * Locates the manifest and its signature from the end and from the start of the pack. After a change in one range, the other
 * way still finds them.
 */
export async function* locateManifest(file: PackFile): AsyncGenerator<ManifestLocation> {
  for (const find of [locateFromEnd, locateFromStart]) {
    const found = await find(file);
    if (found && found.manifest.size <= MAX_BYTES && found.signature.size <= MAX_SIGNATURE_BYTES) yield found;
  }
}

/** Counts back from the directory by its sizes, which works even if earlier content changed its length. */
async function locateFromEnd(file: PackFile): Promise<ManifestLocation | null> {
  if (file.size < END_BYTES) return null;
  const end = await file.read(file.size - END_BYTES, END_BYTES);
  if (end.readUInt32LE(0) !== END_SIGNATURE) return null;
  const isFar =
    end.readUInt16LE(10) === BEYOND_16_BITS || [12, 16].some((at) => end.readUInt32LE(at) === BEYOND_32_BITS);
  const endsAt = file.size - END_BYTES - (isFar ? ZIP64_RECORDS_BYTES : 0);
  if (endsAt < 0) return null;
  const size = isFar ? Number((await file.read(endsAt + ZIP64_SIZE_AT, 8)).readBigUInt64LE(0)) : end.readUInt32LE(12);
  if (size > MAX_BYTES || size > endsAt) return null;
  const startsAt = endsAt - size;
  const entries = readEntries(await file.read(startsAt, size));
  const [manifest, signature] = entries.slice(-2);
  if (!manifest || !signature) return null;
  const signatureAt = startsAt - signature.size;
  const manifestAt = signatureAt - LOCAL_HEADER_BYTES - SIGNATURE_PATH.length - manifest.size;
  if (manifestAt < 0) return null;
  return {
    manifest: { ...manifest, offset: manifestAt },
    signature: { ...signature, offset: signatureAt },
  };
}

function readEntries(directory: Buffer): readonly Omit<FileRange, 'offset'>[] {
  const entries: Omit<FileRange, 'offset'>[] = [];
  for (let at = 0; at + DIRECTORY_ENTRY_BYTES <= directory.length;) {
    if (directory.readUInt32LE(at) !== DIRECTORY_SIGNATURE) return [];
    entries.push({ crc32: directory.readUInt32LE(at + 16), size: directory.readUInt32LE(at + 24) });
    const named = directory.readUInt16LE(at + 28) + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
    at += DIRECTORY_ENTRY_BYTES + named;
  }
  return entries;
}

/** Walks from header to header, which works even if the end is missing or was extended. */
async function locateFromStart(file: PackFile): Promise<ManifestLocation | null> {
  let manifest: FileRange | null = null;
  for (let at = 0, files = 0; files < MAX_FILES; files += 1) {
    const header = await file.read(at, LOCAL_HEADER_BYTES + MANIFEST_PATH.length + SIGNATURE_PATH.length);
    if (header.length < LOCAL_HEADER_BYTES || header.readUInt32LE(0) !== LOCAL_HEADER_SIGNATURE) return null;
    const [size, nameLength] = [header.readUInt32LE(22), header.readUInt16LE(26)];
    const name = header.subarray(LOCAL_HEADER_BYTES, LOCAL_HEADER_BYTES + nameLength).toString('latin1');
    const range = { crc32: header.readUInt32LE(14), size, offset: at + LOCAL_HEADER_BYTES + nameLength };
    if (name === MANIFEST_PATH) manifest = range;
    if (name === SIGNATURE_PATH) return manifest && { manifest, signature: range };
    at = range.offset + size;
  }
  return null;
}

/** A signed manifest. It is the original one, also if small changes of it in the pack were repaired. */
export interface PackSignatureCheck {
  readonly manifest: PackManifest;
  readonly signature: PackSignature;
  readonly manifestBytes: Buffer;
  readonly signatureBytes: Buffer;
}

/** The reason why a file is not a valid pack, and the range of its manifest; null if it has none. */
export interface InvalidPack {
  readonly reason: string;
  readonly range: FileRange | null;
}

/**
 * Finds the signed manifest of a pack and verifies its signature. Repairs small changes of both with the checksums in the zip records.
 * A repaired manifest or signature counts only if the signature is valid.
 */
export async function verifyPackSignature(file: PackFile): Promise<PackSignatureCheck | InvalidPack> {
  const found = await findPairs(file);
  for (const candidates of [unchanged, repaired]) {
    for (const pair of found) {
      for (const [manifest, signature] of candidates(pair)) {
        const signed = checkSignature(manifest, signature);
        if (signed) return signed;
      }
    }
  }
  const last = found.at(-1);
  return last
    ? { reason: 'its manifest is not the signed one', range: last.manifest.range }
    : { reason: 'it has no signed manifest, so it is not an audit pack or only a part of one', range: null };
}

interface StoredFile {
  readonly bytes: Buffer;
  readonly range: FileRange;
}

interface StoredPair {
  readonly manifest: StoredFile;
  readonly signature: StoredFile;
}

async function findPairs(file: PackFile): Promise<readonly StoredPair[]> {
  const found: StoredPair[] = [];
  const read = async (range: FileRange): Promise<StoredFile> => ({
    range,
    bytes: await file.read(range.offset, range.size),
  });
  for await (const { manifest, signature } of locateManifest(file)) {
    const pair = { manifest: await read(manifest), signature: await read(signature) };
    if (!isDeepStrictEqual(pair, found[0])) found.push(pair);
  }
  return found;
}

type Candidate = readonly [manifest: Buffer, signature: Buffer];

function* unchanged({ manifest, signature }: StoredPair): Generator<Candidate> {
  yield [manifest.bytes, signature.bytes];
}

/** Yields pairs in which either the manifest or the signature is repaired and the other one is unchanged. */
function* repaired({ manifest, signature }: StoredPair): Generator<Candidate> {
  for (const candidate of candidatesFor(signature)) yield [manifest.bytes, candidate];
  for (const candidate of candidatesFor(manifest)) yield [candidate, signature.bytes];
}

const candidatesFor = ({ bytes, range }: StoredFile): Iterable<Buffer> => candidateContents(range.crc32, bytes);

function checkSignature(manifestBytes: Buffer, signatureBytes: Buffer): PackSignatureCheck | null {
  const signature = readSignature(signatureBytes.toString('utf8'));
  if (!signature || jwkThumbprint(signature.publicKey) !== signature.keyId) return null;
  if (!isSignedBy(signature.publicKey, manifestBytes, signature.signature)) return null;
  const manifest = readManifest(manifestBytes.toString('utf8'));
  return manifest && { manifest, signature, manifestBytes, signatureBytes };
}

/** The caller hashes the whole content once per offset, which takes some seconds at this size. */
const MAX_BYTES_FOR_RUNS = 65_536;
/** Each byte of the content needs 4 KiB of memory. */
const MAX_BYTES_FOR_PAIRS = 16_384;

/**
 * Yields the possible original contents with the CRC-32 `before`: one byte was changed, up to four consecutive bytes, or any
 * two bytes; likely and cheap candidates first. `shifted` is the content at the place of its end after a change of length.
 * If it differs, also yields candidates in which bytes were inserted or up to four were removed. A yielded buffer is valid
 * until the next one.
 */
export function* candidateContents(before: number, found: Buffer, shifted: Buffer = found): Generator<Buffer> {
  const checksum = crc32(found);
  for (const change of changedBytes(found, checksum, before)) yield withBytes(found, [change]);
  if (found.length <= MAX_BYTES_FOR_RUNS) {
    for (const tail of shifted.equals(found) ? [found] : [found, shifted]) yield* candidatesByRuns(before, found, tail);
  }
  if (found.length <= MAX_BYTES_FOR_PAIRS) {
    for (const pair of changedPairs(found, checksum, before)) yield withBytes(found, pair);
  }
}

function* candidatesByRuns(before: number, head: Buffer, tail: Buffer): Generator<Buffer> {
  const former = Buffer.from(tail);
  for (const { offset, was } of findFormerContents(head, tail, before)) {
    if (offset > 0) former[offset - 1] = head[offset - 1]!;
    former.set(was, offset);
    yield former;
    former.set(tail.subarray(offset, offset + was.length), offset);
  }
}

function withBytes(found: Buffer, changes: readonly { readonly offset: number; readonly was: number }[]): Buffer {
  const former = Buffer.from(found);
  for (const { offset, was } of changes) former[offset] = was;
  return former;
}
