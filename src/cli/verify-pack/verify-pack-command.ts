import type { PackManifest } from '../../domain/audit-pack/pack-manifest.js';
import { LOCAL_HEADER_BYTES } from '../../domain/audit-pack/zip-records.js';
import { isPublicKey, jwkThumbprint } from '../../features/signing/public-key.js';
import { type Difference, findFirstDifference } from './first-difference.js';
import { PackFile } from './pack-file.js';
import { verifyPackSignature, type InvalidPack, type PackSignatureCheck } from './pack-signature.js';
import {
  examineAuditLog,
  examineDecisions,
  examineEvidence,
  examineHistory,
  type ReadPacked,
} from './record-checks.js';

/** A key of which whoever verifies knows by another way that it is the service's. */
export interface TrustedKey {
  readonly keyId: string;
  readonly x: string;
  /** When it was retired; null where it was not, or nothing is told of it. */
  readonly retiredAt: string | null;
}

/** Reads a JSON Web Key Set as the service publishes it; null where the text is none, or holds no key of this kind. */
export function readTrustedKeys(text: string): readonly TrustedKey[] | null {
  let read: { readonly keys?: unknown } | null;
  try {
    read = JSON.parse(text) as typeof read;
  } catch {
    return null;
  }
  const keys = Array.isArray(read?.keys) ? read.keys.flatMap(trustedKey) : [];
  return keys.length === 0 ? null : keys;
}

function trustedKey(given: unknown): readonly TrustedKey[] {
  const { kty, crv, x, retiredAt } = (given ?? {}) as Readonly<Record<string, unknown>>;
  if (kty !== 'OKP' || crv !== 'Ed25519' || typeof x !== 'string' || !isPublicKey(x)) return [];
  return [{ keyId: jwkThumbprint(x), x, retiredAt: typeof retiredAt === 'string' ? retiredAt : null }];
}

type Print = (line: string) => void;

/**
 * Verifies an audit pack and says line by line what it found; answers whether all of it holds. `trusted` are keys that are
 * known to be the service's; null where none were given, and then nobody knows whose the pack is.
 */
export function verifyPack(path: string, trusted: readonly TrustedKey[] | null, print: Print): Promise<boolean> {
  return PackFile.with(path, async (file) => {
    const seal = await verifyPackSignature(file);
    if ('reason' in seal) {
      print(`NOT INTACT: ${describeNoSeal(seal)}`);
      return false;
    }
    const isKnown = printSigner(seal, trusted, print);
    const change = await findFirstDifference(file, seal);
    if (change) {
      print(`NOT INTACT: ${describeChange(change)}`);
      return false;
    }
    print(`bytes      all ${file.size} are as they were signed, in ${seal.manifest.files.length} files`);
    const holds = await printRecords(seal.manifest, readerOf(file, seal.manifest), print);
    const isIntact = isKnown && holds;
    print(isIntact ? 'INTACT' : 'NOT INTACT: see above');
    return isIntact;
  });
}

function printSigner(
  { manifest, signature }: PackSignatureCheck,
  trusted: readonly TrustedKey[] | null,
  print: Print,
): boolean {
  const { org, repo, version } = manifest.release;
  print(plain(`pack       ${version} of ${org}/${repo}, made at ${manifest.madeAt} by Shipgate ${manifest.service}`));
  const { keyId, publicKey } = signature;
  if (trusted === null) {
    print(`signature  holds, by the key ${keyId}`);
    print('           WHOSE KEY THIS IS WAS NOT VERIFIED: anybody can sign with a key of their own.');
    print('           Give --keys with the keys that the service publishes to know that it is the service.');
    return true;
  }
  const key = trusted.find(({ x }) => x === publicKey);
  if (!key) {
    print(`signature  NOT THE SERVICE'S: it is by the key ${keyId}, which is not among those given`);
    return false;
  }
  if (key.retiredAt !== null && !(Date.parse(manifest.madeAt) <= Date.parse(key.retiredAt))) {
    print(plain(`signature  NOT VALID: the key ${keyId} was retired at ${key.retiredAt}, before the pack was made`));
    return false;
  }
  print(`signature  holds, by the key ${keyId}, which is among those given`);
  return true;
}

async function printRecords(manifest: PackManifest, read: ReadPacked, print: Print): Promise<boolean> {
  let holds = true;
  for (const examine of [examineDecisions, examineHistory, examineEvidence, examineAuditLog]) {
    // What was signed and is not what a pack holds was put together by somebody else.
    const report = await examine(manifest, read).catch(() => null);
    if (report === null) {
      print('contents   what is signed cannot be read as an audit pack');
      return false;
    }
    print(`${report.kind.padEnd(10)} ${report.says}`);
    for (const problem of report.problems) print(plain(`           NOT SO: ${problem}`));
    holds &&= report.problems.length === 0;
  }
  return holds;
}

/** Reads files by the offsets that follow from the manifest, once it is certain that all stand there. */
function readerOf(file: PackFile, { files }: PackManifest): ReadPacked {
  const places = new Map<string, { readonly offset: number; readonly size: number }>();
  let offset = 0;
  for (const { path, size } of files) {
    offset += LOCAL_HEADER_BYTES + path.length;
    places.set(path, { offset, size });
    offset += size;
  }
  return async (path) => {
    const place = places.get(path);
    if (!place) throw new Error(`The pack has no ${path}.`);
    return file.read(place.offset, place.size);
  };
}

function describeNoSeal({ reason, place }: InvalidPack): string {
  if (!place) return `${reason}.`;
  const last = place.offset + place.size - 1;
  return `${reason}; it lies at the bytes ${place.offset} to ${last}, and nothing in the pack can be believed.`;
}

function describeChange({ offset, within, of, inside, is, was }: Difference): string {
  if (of === null)
    return `the first byte that was changed is at offset ${offset}: the pack ends there, and bytes were added.`;
  const where = `byte ${inside} of ${of}`;
  if (within > 1) {
    return `the first byte that was changed is at one of the offsets ${offset} to ${offset + within - 1}, from ${where} on: several were.`;
  }
  if (is === null)
    return `the first byte that was changed is at offset ${offset}, ${where}: the file ends there, and the rest is missing.`;
  return `the first byte that was changed is at offset ${offset}, ${where}: it is ${hex(is)} and was ${was === null ? 'another' : hex(was)}.`;
}

const hex = (byte: number): string => `0x${byte.toString(16).padStart(2, '0')}`;

/** Names come from whoever signed: none of them may say something to the terminal. */
const plain = (line: string): string => line.replaceAll(/[^\x20-\x7e]/g, '?');
