import type { PackManifest } from '../../domain/audit-pack/pack-manifest.js';
import { LOCAL_HEADER_BYTES } from '../../domain/audit-pack/zip-records.js';
import { isPublicKey, jwkThumbprint } from '../../crypto/public-key.js';
import { type Difference, findFirstDifference } from './first-difference.js';
import { PackFile } from './pack-file.js';
import { verifyPackSignature, type InvalidPack, type PackSignatureCheck } from './pack-signature.js';
import { checkAuditLog, checkDecisions, checkEvidence, checkHistory, type ReadPacked } from './record-checks.js';

/** A key of the service that the user of this command got from a trusted source. */
export interface TrustedKey {
  readonly keyId: string;
  readonly x: string;
  /** The time when it was retired; null if it is in use or the time is unknown. */
  readonly retiredAt: string | null;
}

/** Parses a JSON Web Key Set as the service publishes it; null if the text is not one or has no key of this kind. */
export function readTrustedKeys(text: string): readonly TrustedKey[] | null {
  let read: { readonly keys?: unknown } | null;
  try {
    read = JSON.parse(text) as typeof read;
  } catch {
    return null;
  }
  const keys = Array.isArray(read?.keys) ? read.keys.flatMap(parseTrustedKey) : [];
  return keys.length === 0 ? null : keys;
}

function parseTrustedKey(given: unknown): readonly TrustedKey[] {
  const { kty, crv, x, retiredAt } = (given ?? {}) as Readonly<Record<string, unknown>>;
  if (kty !== 'OKP' || crv !== 'Ed25519' || typeof x !== 'string' || !isPublicKey(x)) return [];
  return [{ keyId: jwkThumbprint(x), x, retiredAt: typeof retiredAt === 'string' ? retiredAt : null }];
}

type Print = (line: string) => void;

/** The result of a verification. `not_derived`: intact, but other rules made some of its decisions. */
export type PackStatus = 'intact' | 'not_derived' | 'not_intact';

/**
 * Verifies an audit pack, prints the results line by line, and returns whether all checks passed. `trusted` are known keys
 * of the service; null if none were given, so that the signer cannot be checked.
 */
export function verifyPack(path: string, trusted: readonly TrustedKey[] | null, print: Print): Promise<PackStatus> {
  return PackFile.with(path, async (file) => {
    const signed = await verifyPackSignature(file);
    if ('reason' in signed) {
      print(`NOT INTACT: ${describeInvalidPack(signed)}`);
      return 'not_intact';
    }
    const isTrusted = printSigner(signed, trusted, print);
    const difference = await findFirstDifference(file, signed);
    if (difference) {
      print(`NOT INTACT: ${describeDifference(difference)}`);
      return 'not_intact';
    }
    print(`bytes      all ${file.size} are the signed ones, in ${signed.manifest.files.length} files`);
    const records = await printRecords(signed.manifest, createReader(file, signed.manifest), print);
    const status = isTrusted ? records : 'not_intact';
    print(CONCLUSIONS[status]);
    return status;
  });
}

const CONCLUSIONS: Readonly<Record<PackStatus, string>> = {
  intact: 'INTACT',
  not_derived: 'INTACT, but other rules made some of its decisions: see above',
  not_intact: 'NOT INTACT: see above',
};

function printSigner(
  { manifest, signature }: PackSignatureCheck,
  trusted: readonly TrustedKey[] | null,
  print: Print,
): boolean {
  const { org, repo, version } = manifest.release;
  print(
    plain(`pack       ${version} of ${org}/${repo}, created at ${manifest.madeAt} by Shipgate ${manifest.service}`),
  );
  const { keyId, publicKey } = signature;
  if (trusted === null) {
    print(`signature  valid, by the key ${keyId}`);
    print('           THE SIGNER WAS NOT VERIFIED: every user can sign with a key of their own.');
    print('           Use --keys with the published keys of the service to verify the signer.');
    return true;
  }
  const key = trusted.find(({ x }) => x === publicKey);
  if (!key) {
    print(`signature  NOT TRUSTED: the key ${keyId} is not among the given keys`);
    return false;
  }
  if (key.retiredAt !== null && !(Date.parse(manifest.madeAt) <= Date.parse(key.retiredAt))) {
    print(plain(`signature  NOT VALID: the key ${keyId} was retired at ${key.retiredAt}, before the pack was created`));
    return false;
  }
  print(`signature  valid, by the key ${keyId}, which is among the given keys`);
  return true;
}

async function printRecords(manifest: PackManifest, read: ReadPacked, print: Print): Promise<PackStatus> {
  let status: PackStatus = 'intact';
  for (const check of [checkDecisions, checkHistory, checkEvidence, checkAuditLog]) {
    // A signed file that is not a record of a pack was not created by the service.
    const report = await check(manifest, read).catch(() => null);
    if (report === null) {
      print('contents   the signed files cannot be read as an audit pack');
      return 'not_intact';
    }
    print(`${report.kind.padEnd(10)} ${report.summary}`);
    for (const problem of report.problems) print(plain(`           PROBLEM: ${problem}`));
    for (const sentence of report.notDerived ?? []) print(plain(`           NOT DERIVED: ${sentence}`));
    if (report.problems.length > 0) status = 'not_intact';
    else if (status === 'intact' && (report.notDerived ?? []).length > 0) status = 'not_derived';
  }
  return status;
}

/** Creates a reader of files by their offsets, which follow from the verified manifest. */
function createReader(file: PackFile, { files }: PackManifest): ReadPacked {
  const ranges = new Map<string, { readonly offset: number; readonly size: number }>();
  let offset = 0;
  for (const { path, size } of files) {
    offset += LOCAL_HEADER_BYTES + path.length;
    ranges.set(path, { offset, size });
    offset += size;
  }
  return async (path) => {
    const range = ranges.get(path);
    if (!range) throw new Error(`The pack has no ${path}.`);
    return file.read(range.offset, range.size);
  };
}

function describeInvalidPack({ reason, range }: InvalidPack): string {
  if (!range) return `${reason}.`;
  const last = range.offset + range.size - 1;
  return `${reason}. It is at the bytes ${range.offset} to ${last}. Nothing in the pack can be trusted.`;
}

function describeDifference({ offset, within, of, inside, is, was }: Difference): string {
  if (of === null) return `the first changed byte is at offset ${offset}, after the end of the pack. Bytes were added.`;
  const where = `byte ${inside} of ${of}`;
  if (within > 1) {
    return `the first changed byte is at one of the offsets ${offset} to ${offset + within - 1}, from ${where} on. Several bytes were changed.`;
  }
  if (is === null)
    return `the first changed byte is at offset ${offset}, ${where}. The file ends there, and the rest is missing.`;
  return `the first changed byte is at offset ${offset}, ${where}. It is ${hex(is)} and was ${was === null ? 'another value' : hex(was)}.`;
}

const hex = (byte: number): string => `0x${byte.toString(16).padStart(2, '0')}`;

/** Removes control characters from names, which come from the signer and could control the terminal. */
const plain = (line: string): string => line.replaceAll(/[^\x20-\x7e]/g, '?');
