import { crc32 } from 'node:zlib';
import { changedBytes } from '../../domain/audit-pack/changed-byte.js';
import {
  type PackManifest,
  type PackSignature,
  readManifest,
  readSignature,
} from '../../domain/audit-pack/pack-manifest.js';
import { isSignedBy, thumbprintOf } from '../../features/signing/public-key.js';
import type { PackFile } from './pack-file.js';
import { type Place, sealedPlaces } from './sealed-places.js';

/** A manifest as it was signed, also where the pack holds it with a byte that was changed. */
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

/** How many ways to mend one byte are tried: of a true pack with one changed byte there are a handful. */
const MOST_TRIES = 10_000;

/**
 * Finds the signed manifest of a pack. One byte that was changed in it or in its signature is mended by the checksum that
 * stands in the records, and the mended one is believed only because the signature holds.
 */
export async function findSeal(file: PackFile): Promise<Seal | NoSeal> {
  let refused: NoSeal = {
    reason: 'it has no manifest with a signature, so it is no audit pack or only a part of one',
    place: null,
  };
  for await (const { manifest, signature } of sealedPlaces(file)) {
    const manifestBytes = await file.read(manifest.offset, manifest.size);
    const signatureBytes = await file.read(signature.offset, signature.size);
    for (const [one, other] of readings(
      { bytes: manifestBytes, place: manifest },
      { bytes: signatureBytes, place: signature },
    )) {
      const seal = sealOf(one, other);
      if (seal) return seal;
    }
    refused = { reason: 'its manifest is not the one that was signed', place: manifest };
  }
  return refused;
}

interface Found {
  readonly bytes: Buffer;
  readonly place: Place;
}

/** Both as they are, then either of them with one byte as it may have been. */
function* readings(manifest: Found, signature: Found): Generator<readonly [Buffer, Buffer]> {
  yield [manifest.bytes, signature.bytes];
  for (const mended of mendings(manifest)) yield [mended, signature.bytes];
  for (const mended of mendings(signature)) yield [manifest.bytes, mended];
}

function* mendings({ bytes, place }: Found): Generator<Buffer> {
  let tries = 0;
  for (const { offset, was } of changedBytes(bytes, crc32(bytes), place.crc32)) {
    tries += 1;
    if (tries > MOST_TRIES) return;
    const mended = Buffer.from(bytes);
    mended[offset] = was;
    yield mended;
  }
}

function sealOf(manifestBytes: Buffer, signatureBytes: Buffer): Seal | null {
  const signature = readSignature(signatureBytes.toString('utf8'));
  if (!signature || thumbprintOf(signature.publicKey) !== signature.keyId) return null;
  if (!isSignedBy(signature.publicKey, manifestBytes, signature.signature)) return null;
  const manifest = readManifest(manifestBytes.toString('utf8'));
  return manifest && { manifest, signature, manifestBytes, signatureBytes };
}
