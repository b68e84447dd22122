import { createHash, generateKeyPairSync, sign, type KeyPairKeyObjectResult } from 'node:crypto';
import { initializeCA, initializeTLog, initializeTSA } from '@sigstore/mock';
import { dsse, X509Certificate } from '@sigstore/core';

/** The extensions of a certificate of Fulcio that Shipgate reads, by the end of their numbers. */
export type Extensions = Readonly<Record<number, string | null>>;

export interface BundleOptions {
  /** The digest of the artifact, or the whole statement. */
  readonly digest?: string;
  readonly statement?: object | string;
  readonly payloadType?: string;
  /** Overrides of the extensions. Null leaves one out. */
  readonly extensions?: Extensions;
  /** Extensions that are no DER UTF8String. */
  readonly legacy?: readonly number[];
  /** Extensions that occur twice. */
  readonly twice?: readonly number[];
  /** The time of the signature. The certificate is valid for ten minutes from `issuedAt`. */
  readonly signedAt?: Date;
  readonly issuedAt?: Date;
}

const ISSUER = 'https://token.actions.githubusercontent.com';

/** The identity of a push build of the repository 4711 at the commit `c…`, as GitHub states it. */
const GIVEN_EXTENSIONS: Extensions = {
  8: ISSUER,
  9: 'https://github.com/acme/payments/.github/workflows/build.yml@refs/heads/main',
  10: 'c'.repeat(40),
  11: 'github-hosted',
  12: 'https://github.com/acme/payments',
  13: 'c'.repeat(40),
  14: 'refs/heads/main',
  15: '4711',
  16: 'https://github.com/acme',
  17: '42',
  18: 'https://github.com/acme/payments/.github/workflows/build.yml@refs/heads/main',
  19: 'c'.repeat(40),
  20: 'push',
  21: 'https://github.com/acme/payments/actions/runs/100/attempts/1',
  22: 'public',
};

/** The statement of a provenance for one artifact. */
export const toStatement = (digest: string): object => ({
  _type: 'https://in-toto.io/Statement/v1',
  subject: [{ name: 'image', digest: { sha256: digest.replace('sha256:', '') } }],
  predicateType: 'https://slsa.dev/provenance/v1',
  predicate: { buildDefinition: {}, runDetails: {} },
});

const VALID_FROM = new Date('2020-01-01T00:00:00Z');
const newKeys = (): KeyPairKeyObjectResult => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();
const keysOf = ({ publicKey }: KeyPairKeyObjectResult): Buffer => publicKey.export({ format: 'der', type: 'spki' });
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** A Sigstore instance with keys of its own. `public` has logs as the public instance, `private` a timestamp authority as GitHub's. */
export async function createSigstoreInstance(kind: 'public' | 'private' = 'public'): Promise<SigstoreInstance> {
  const [caKeys, ctKeys, logKeys, tsaKeys] = [newKeys(), newKeys(), newKeys(), newKeys()];
  const url = 'https://log.example';
  const root = (await initializeCA(caKeys)).rootCertificate;
  const validFor = { start: VALID_FROM.toISOString() };
  const log = (keys: KeyPairKeyObjectResult): object => ({
    baseUrl: url,
    hashAlgorithm: 'SHA2_256',
    publicKey: { rawBytes: base64(keysOf(keys)), keyDetails: 'PKIX_ECDSA_P256_SHA_256', validFor },
    logId: { keyId: base64(sha256(keysOf(keys))) },
  });
  const authority = (...certificates: Buffer[]): object => ({
    uri: 'https://authority.example',
    certChain: { certificates: certificates.map((bytes) => ({ rawBytes: base64(bytes) })) },
    validFor,
  });
  const tsa = await initializeTSA(tsaKeys);
  const trustedRoot = {
    mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
    ...(kind === 'public' && { tlogs: [log(logKeys)], ctlogs: [log(ctKeys)] }),
    certificateAuthorities: [authority(root)],
    ...(kind === 'private' && { timestampAuthorities: [authority(tsa.intCertificate, tsa.rootCertificate)] }),
  };
  return { kind, trustedRoot, caKeys, ctKeys, logKeys, tsaKeys, url };
}

export interface SigstoreInstance {
  readonly kind: 'public' | 'private';
  readonly trustedRoot: object;
  readonly caKeys: KeyPairKeyObjectResult;
  readonly ctKeys: KeyPairKeyObjectResult;
  readonly logKeys: KeyPairKeyObjectResult;
  readonly tsaKeys: KeyPairKeyObjectResult;
  readonly url: string;
}

/** Signs a bundle as the action `attest-build-provenance` does. */
export async function createBundle(instance: SigstoreInstance, options: BundleOptions = {}): Promise<object> {
  const { digest = `sha256:${'a'.repeat(64)}`, statement = toStatement(digest) } = options;
  const { payloadType = 'application/vnd.in-toto+json', legacy = [], twice = [] } = options;
  // Whole seconds, because the timestamp authority writes fractions in a form that the verifier does not always read.
  const signedAt = options.signedAt ?? new Date(Math.floor(Date.now() / 1_000) * 1_000);
  const issuedAt = options.issuedAt ?? new Date(signedAt.getTime() - 1_000);
  const extensions = Object.entries({ ...GIVEN_EXTENSIONS, ...options.extensions }).flatMap(([number, value]) => {
    if (value === null) return [];
    const one = { oid: `1.3.6.1.4.1.57264.1.${number}`, value, legacy: legacy.includes(Number(number)) };
    return twice.includes(Number(number)) ? [one, one] : [one];
  });
  const ctLog = instance.kind === 'public' ? certificateLog(instance.ctKeys, issuedAt) : undefined;
  const ca = await initializeCA(instance.caKeys, ctLog, issuedAt);
  const keys = newKeys();
  const certificate = await ca.issueCertificate({
    publicKey: keys.publicKey.export({ format: 'der', type: 'spki' }),
    subjectAltName: GIVEN_EXTENSIONS[9] ?? '',
    extensions,
  });
  const payload = Buffer.from(typeof statement === 'string' ? statement : JSON.stringify(statement));
  const signature = sign('sha256', dsse.preAuthEncoding(payloadType, payload), keys.privateKey);
  const timestamps =
    instance.kind === 'private' ? [{ signedTimestamp: base64(await timestamp(instance, signature, signedAt)) }] : [];
  const entry =
    instance.kind === 'public' ? [await logEntry(instance, { payload, signature, certificate, signedAt })] : [];
  return {
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    verificationMaterial: {
      certificate: { rawBytes: base64(certificate) },
      tlogEntries: entry,
      timestampVerificationData: { rfc3161Timestamps: timestamps },
    },
    dsseEnvelope: { payload: base64(payload), payloadType, signatures: [{ sig: base64(signature) }] },
  };
}

/** A certificate log (RFC 6962, § 3.2). The log of `@sigstore/mock` writes a timestamp that no verifier can read. */
const certificateLog = (keys: KeyPairKeyObjectResult, at: Date): NonNullable<Parameters<typeof initializeCA>[1]> => ({
  publicKey: keysOf(keys),
  logID: sha256(keysOf(keys)),
  async log(certificate, issuerId) {
    const tbs = X509Certificate.parse(Buffer.from(certificate)).tbsCertificate.toDER();
    const time = Buffer.alloc(8);
    time.writeBigInt64BE(BigInt(at.getTime()));
    const length = Buffer.alloc(4);
    length.writeUInt32BE(tbs.length);
    const none = Buffer.from([0, 0]);
    const entry = Buffer.concat([
      none,
      time,
      Buffer.from([0, 1]),
      Buffer.from(issuerId),
      length.subarray(1),
      tbs,
      none,
    ]);
    const signature = sign('sha256', entry, keys.privateKey);
    const [version, algorithms] = [Buffer.from([0]), Buffer.from([4, 3, 0, signature.length])];
    const timestamp = Buffer.concat([version, sha256(keysOf(keys)), time, none, algorithms, signature]);
    return new Uint8Array([0, timestamp.length, ...timestamp]).buffer;
  },
});

async function timestamp({ tsaKeys }: SigstoreInstance, signature: Buffer, at: Date): Promise<Buffer> {
  const tsa = await initializeTSA(tsaKeys, at);
  return tsa.timestamp({
    artifactHash: sha256(signature),
    hashAlgorithmOID: '2.16.840.1.101.3.4.2.1',
    nonce: 1,
    policyOID: '1.3.6.1.4.1.57264.2',
    certReq: true,
  });
}

async function logEntry(
  { logKeys, url }: SigstoreInstance,
  signed: {
    readonly payload: Buffer;
    readonly signature: Buffer;
    readonly certificate: Buffer;
    readonly signedAt: Date;
  },
): Promise<object> {
  const log = await initializeTLog(url, logKeys, signed.signedAt);
  const proposed = {
    apiVersion: '0.0.1',
    kind: 'dsse',
    spec: {
      payloadHash: { algorithm: 'sha256', value: sha256(signed.payload).toString('hex') },
      signatures: [{ signature: base64(signed.signature), verifier: base64(signed.certificate) }],
    },
  };
  const [entry] = Object.values(await log.log(proposed)) as readonly LogEntry[];
  if (!entry) throw new TypeError('The log returns one entry.');
  const { inclusionProof: proof, signedEntryTimestamp } = entry.verification;
  return {
    logIndex: String(entry.logIndex),
    logId: { keyId: Buffer.from(entry.logID, 'hex').toString('base64') },
    kindVersion: { kind: 'dsse', version: '0.0.1' },
    integratedTime: String(entry.integratedTime),
    inclusionPromise: { signedEntryTimestamp },
    inclusionProof: {
      logIndex: String(proof.logIndex),
      rootHash: Buffer.from(proof.rootHash, 'hex').toString('base64'),
      treeSize: String(proof.treeSize),
      hashes: [],
      checkpoint: { envelope: proof.checkpoint },
    },
    canonicalizedBody: entry.body,
  };
}

/** An entry as Rekor returns it, which `@sigstore/mock` does not describe. */
interface LogEntry {
  readonly body: string;
  readonly integratedTime: number;
  readonly logID: string;
  readonly logIndex: number;
  readonly verification: {
    readonly inclusionProof: {
      readonly logIndex: number;
      readonly rootHash: string;
      readonly treeSize: number;
      readonly checkpoint: string;
    };
    readonly signedEntryTimestamp: string;
  };
}

/** Returns a copy of a bundle with a change. */
export function altered(bundle: object, change: (copy: AlterableBundle) => void): object {
  const copy = structuredClone(bundle) as AlterableBundle;
  change(copy);
  return copy;
}

interface AlterableBundle {
  mediaType: string;
  verificationMaterial: {
    certificate?: { rawBytes: string };
    tlogEntries: Record<string, unknown>[];
    timestampVerificationData: { rfc3161Timestamps: unknown[] };
  };
  dsseEnvelope: { payload: string; payloadType: string; signatures: { sig: string }[] };
}
