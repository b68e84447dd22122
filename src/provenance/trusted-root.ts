import { X509Certificate } from '@sigstore/core';
import { TrustedRoot } from '@sigstore/protobuf-specs';
import { toTrustMaterial, Verifier } from '@sigstore/verify';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The certificate authorities, logs and timestamp authorities of one Sigstore instance. */
export interface TrustRoot {
  readonly name: string;
  /** Checks a bundle against this root alone, by the thresholds of this root. */
  readonly verifier: Verifier;
  /** The time from which on no certificate authority of the root is valid. */
  readonly expiresAt: Date;
}

/** A validity, as the library reads it from JSON. */
interface Validity {
  readonly start?: Date | undefined;
  readonly end?: Date | undefined;
}

/**
 * Reads a trusted root. Throws an `Error` with the reason if it is not usable. The library accepts an authority or a log without the start
 * of its validity and lets it count since 1970, so such a root is rejected here.
 */
export function parseTrustedRoot(name: string, json: unknown): TrustRoot {
  const root = TrustedRoot.fromJSON(json);
  const { certificateAuthorities, timestampAuthorities, tlogs, ctlogs } = root;
  if (certificateAuthorities.length === 0) throw new Error(`The trusted root ${name} has no certificate authority.`);
  if (tlogs.length === 0 && timestampAuthorities.length === 0) {
    throw new Error(`The trusted root ${name} has neither a log nor a timestamp authority, so it proves no time.`);
  }
  for (const { validFor, certChain } of [...certificateAuthorities, ...timestampAuthorities]) {
    if (!certChain || certChain.certificates.length === 0)
      throw new Error(`The trusted root ${name} has an authority without certificates.`);
    assertValidity(name, validFor);
  }
  for (const { publicKey } of [...tlogs, ...ctlogs]) assertValidity(name, publicKey?.validFor);
  const verifier = new Verifier(toTrustMaterial(root), {
    tlogThreshold: Math.min(1, tlogs.length),
    ctlogThreshold: Math.min(1, ctlogs.length),
    timestampThreshold: 1,
  });
  const ends = certificateAuthorities.map(({ validFor, certChain }) =>
    Math.min(
      validFor?.end?.getTime() ?? Number.POSITIVE_INFINITY,
      ...(certChain?.certificates ?? []).map(({ rawBytes }) =>
        X509Certificate.parse(Buffer.from(rawBytes)).notAfter.getTime(),
      ),
    ),
  );
  return { name, verifier, expiresAt: new Date(Math.max(...ends)) };
}

function assertValidity(name: string, validFor: Validity | undefined): void {
  const { start, end } = validFor ?? {};
  if (start === undefined || Number.isNaN(start.getTime())) {
    throw new Error(`The trusted root ${name} has an authority or a log without the start of its validity.`);
  }
  if (end !== undefined && !(end >= start)) {
    throw new Error(`The trusted root ${name} has an authority or a log whose validity ends before it begins.`);
  }
}

/** Returns the roots that ship with the service: the public instance of Sigstore, and GitHub's for private repositories. */
export const builtInRoots = (): readonly TrustRoot[] =>
  ['public-good', 'github'].map((name) =>
    parseTrustedRoot(name, JSON.parse(readFileSync(new URL(`./roots/${name}.json`, import.meta.url), 'utf8'))),
  );

/**
 * Reads further roots from a path: a file with one trusted root or with one a line, or a folder of such files. Throws an `Error` that
 * names the file if one is not usable.
 */
export function readTrustedRoots(path: string): readonly TrustRoot[] {
  if (!statSync(path).isDirectory()) return readFile(path);
  const files = readdirSync(path, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .sort();
  return files.flatMap((name) => readFile(join(path, name)));
}

function readFile(file: string): readonly TrustRoot[] {
  const text = readFileSync(file, 'utf8');
  const whole = tryParse(text);
  if (whole !== undefined) return [parseTrustedRoot(file, whole)];
  const lines = text
    .split('\n')
    .flatMap((line, index) => (line.trim() === '' ? [] : [{ line, name: `${file}:${index + 1}` }]));
  return lines.map(({ line, name }) => {
    const json = tryParse(line);
    if (json === undefined) throw new Error(`The trusted root ${name} is not JSON.`);
    return parseTrustedRoot(name, json);
  });
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
