import { isDeepStrictEqual } from 'node:util';
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
import { isSignedBy, jwkThumbprint } from '../../features/signing/public-key.js';
import { candidateContents } from './content-repair.js';
import type { PackFile } from './pack-file.js';

/** Where something lies, and the checksum that is told of it there. */
interface FileRange {
  readonly offset: number;
  readonly size: number;
  readonly crc32: number;
}

/** Where the manifest and its signature lie. */
export interface ManifestLocation {
  readonly manifest: FileRange;
  readonly signature: FileRange;
}

/** More than the directory of a pack, or its manifest, can have. */
const MOST_BYTES = 268_435_456;
const MOST_FILES = 2_000_000;
/** Some ten times as much as a signature takes. */
const MOST_SIGNATURE_BYTES = 4_096;
/** The zip64 end and its locator, and where in the first of them the size of the directory stands. */
const ZIP64_RECORDS_BYTES = 76;
const ZIP64_SIZE_AT = 40;
const BEYOND_16_BITS = 0xffff;
const BEYOND_32_BITS = 0xffffffff;

/**
 * Where the manifest and its signature may lie, by each of the ways in which a pack tells of them: a pack that was changed in
 * one place tells it right by the other.
 */
export async function* locateManifest(file: PackFile): AsyncGenerator<ManifestLocation> {
  for (const find of [fromTheEnd, fromTheStart]) {
    const found = await find(file);
    if (found && found.manifest.size <= MOST_BYTES && found.signature.size <= MOST_SIGNATURE_BYTES) yield found;
  }
}

/** By the sizes in the directory, counted back from it: right also where what lies before grew or shrank. */
async function fromTheEnd(file: PackFile): Promise<ManifestLocation | null> {
  if (file.size < END_BYTES) return null;
  const end = await file.read(file.size - END_BYTES, END_BYTES);
  if (end.readUInt32LE(0) !== END_SIGNATURE) return null;
  const isFar =
    end.readUInt16LE(10) === BEYOND_16_BITS || [12, 16].some((at) => end.readUInt32LE(at) === BEYOND_32_BITS);
  const endsAt = file.size - END_BYTES - (isFar ? ZIP64_RECORDS_BYTES : 0);
  if (endsAt < 0) return null;
  const size = isFar ? Number((await file.read(endsAt + ZIP64_SIZE_AT, 8)).readBigUInt64LE(0)) : end.readUInt32LE(12);
  if (size > MOST_BYTES || size > endsAt) return null;
  const startsAt = endsAt - size;
  const entries = entriesOf(await file.read(startsAt, size));
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

function entriesOf(directory: Buffer): readonly Omit<FileRange, 'offset'>[] {
  const entries: Omit<FileRange, 'offset'>[] = [];
  for (let at = 0; at + DIRECTORY_ENTRY_BYTES <= directory.length;) {
    if (directory.readUInt32LE(at) !== DIRECTORY_SIGNATURE) return [];
    entries.push({ crc32: directory.readUInt32LE(at + 16), size: directory.readUInt32LE(at + 24) });
    const named = directory.readUInt16LE(at + 28) + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
    at += DIRECTORY_ENTRY_BYTES + named;
  }
  return entries;
}

/** From header to header: right also where the end is missing, or something was added behind it. */
async function fromTheStart(file: PackFile): Promise<ManifestLocation | null> {
  let manifest: FileRange | null = null;
  for (let at = 0, files = 0; files < MOST_FILES; files += 1) {
    const header = await file.read(at, LOCAL_HEADER_BYTES + MANIFEST_PATH.length + SIGNATURE_PATH.length);
    if (header.length < LOCAL_HEADER_BYTES || header.readUInt32LE(0) !== LOCAL_HEADER_SIGNATURE) return null;
    const [size, nameLength] = [header.readUInt32LE(22), header.readUInt16LE(26)];
    const name = header.subarray(LOCAL_HEADER_BYTES, LOCAL_HEADER_BYTES + nameLength).toString('latin1');
    const place = { crc32: header.readUInt32LE(14), size, offset: at + LOCAL_HEADER_BYTES + nameLength };
    if (name === MANIFEST_PATH) manifest = place;
    if (name === SIGNATURE_PATH) return manifest && { manifest, signature: place };
    at = place.offset + size;
  }
  return null;
}

/** A manifest as it was signed, also where a little of it was changed in the pack. */
export interface PackSignatureCheck {
  readonly manifest: PackManifest;
  readonly signature: PackSignature;
  readonly manifestBytes: Buffer;
  readonly signatureBytes: Buffer;
}

/** Why nothing in a file can be believed, and where what it should rest on lies; null where that cannot be told. */
export interface InvalidPack {
  readonly reason: string;
  readonly place: FileRange | null;
}

/**
 * Finds the signed manifest of a pack. Where a little was changed in it or in its signature it is mended by the checksum that
 * stands in the records, and the mended one is believed only because the signature holds.
 */
export async function verifyPackSignature(file: PackFile): Promise<PackSignatureCheck | InvalidPack> {
  const found = await findPairs(file);
  for (const readings of [asTheyAre, asTheyMayHaveBeen]) {
    for (const pair of found) {
      for (const [manifest, signature] of readings(pair)) {
        const seal = sealOf(manifest, signature);
        if (seal) return seal;
      }
    }
  }
  const last = found.at(-1);
  return last
    ? { reason: 'its manifest is not the one that was signed', place: last.manifest.place }
    : { reason: 'it has no manifest with a signature, so it is no audit pack or only a part of one', place: null };
}

interface Found {
  readonly bytes: Buffer;
  readonly place: FileRange;
}

interface FoundPair {
  readonly manifest: Found;
  readonly signature: Found;
}

async function findPairs(file: PackFile): Promise<readonly FoundPair[]> {
  const found: FoundPair[] = [];
  const read = async (place: FileRange): Promise<Found> => ({
    place,
    bytes: await file.read(place.offset, place.size),
  });
  for await (const { manifest, signature } of locateManifest(file)) {
    const pair = { manifest: await read(manifest), signature: await read(signature) };
    if (!isDeepStrictEqual(pair, found[0])) found.push(pair);
  }
  return found;
}

type Reading = readonly [manifest: Buffer, signature: Buffer];

function* asTheyAre({ manifest, signature }: FoundPair): Generator<Reading> {
  yield [manifest.bytes, signature.bytes];
}

/** Either of them as it may have been, beside the other as it is. */
function* asTheyMayHaveBeen({ manifest, signature }: FoundPair): Generator<Reading> {
  for (const former of formerOf(signature)) yield [manifest.bytes, former];
  for (const former of formerOf(manifest)) yield [former, signature.bytes];
}

const formerOf = ({ bytes, place }: Found): Iterable<Buffer> => candidateContents(place.crc32, bytes);

function sealOf(manifestBytes: Buffer, signatureBytes: Buffer): PackSignatureCheck | null {
  const signature = readSignature(signatureBytes.toString('utf8'));
  if (!signature || jwkThumbprint(signature.publicKey) !== signature.keyId) return null;
  if (!isSignedBy(signature.publicKey, manifestBytes, signature.signature)) return null;
  const manifest = readManifest(manifestBytes.toString('utf8'));
  return manifest && { manifest, signature, manifestBytes, signatureBytes };
}
