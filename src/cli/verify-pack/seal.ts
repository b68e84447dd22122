import { isDeepStrictEqual } from 'node:util';
import {
  type PackManifest,
  type PackSignature,
  readManifest,
  readSignature,
} from '../../domain/audit-pack/pack-manifest.js';
import { isSignedBy, thumbprintOf } from '../../features/signing/public-key.js';
import { formerContents } from './content-repair.js';
import type { PackFile } from './pack-file.js';
import { type Place, sealedPlaces } from './sealed-places.js';

/** A manifest as it was signed, also where a little of it was changed in the pack. */
export interface Seal {
  readonly manifest: PackManifest;
  readonly signature: PackSignature;
  readonly manifestBytes: Buffer;
  readonly signatureBytes: Buffer;
}

/** Why nothing in a file can be believed, and where what it should rest on lies; null where that cannot be told. */
export interface NoSeal {
  readonly reason: string;
  readonly place: Place | null;
}

/**
 * Finds the signed manifest of a pack. Where a little was changed in it or in its signature it is mended by the checksum that
 * stands in the records, and the mended one is believed only because the signature holds.
 */
export async function findSeal(file: PackFile): Promise<Seal | NoSeal> {
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
  readonly place: Place;
}

interface FoundPair {
  readonly manifest: Found;
  readonly signature: Found;
}

async function findPairs(file: PackFile): Promise<readonly FoundPair[]> {
  const found: FoundPair[] = [];
  const read = async (place: Place): Promise<Found> => ({ place, bytes: await file.read(place.offset, place.size) });
  for await (const { manifest, signature } of sealedPlaces(file)) {
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

const formerOf = ({ bytes, place }: Found): Iterable<Buffer> => formerContents(place.crc32, bytes);

function sealOf(manifestBytes: Buffer, signatureBytes: Buffer): Seal | null {
  const signature = readSignature(signatureBytes.toString('utf8'));
  if (!signature || thumbprintOf(signature.publicKey) !== signature.keyId) return null;
  if (!isSignedBy(signature.publicKey, manifestBytes, signature.signature)) return null;
  const manifest = readManifest(manifestBytes.toString('utf8'));
  return manifest && { manifest, signature, manifestBytes, signatureBytes };
}
