import { bundleFromJSON } from '@sigstore/bundle';
import { ASN1Obj, X509Certificate } from '@sigstore/core';
import { toSignedEntity } from '@sigstore/verify';
import type { ProvenanceIdentity } from '../domain/artifact/provenance.js';
import type { TrustRoot } from './trusted-root.js';

/** The result of the check of a bundle. `reason` is one sentence for users. */
export type BundleResult =
  | { readonly status: 'verified'; readonly identity: ProvenanceIdentity }
  | { readonly status: 'invalid'; readonly reason: string };

const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
const PREDICATE_TYPE = 'https://slsa.dev/provenance/v1';
const PAYLOAD_TYPE = 'application/vnd.in-toto+json';
/** Longer values are in no certificate of GitHub. They would only fill the database. */
const MAX_VALUE_LENGTH = 2_048;

/**
 * The extensions of a certificate of Fulcio, each a DER UTF8String
 * (https://github.com/sigstore/fulcio/blob/main/docs/oid-info.md).
 */
const EXTENSIONS = {
  issuer: '1.3.6.1.4.1.57264.1.8',
  buildSigner: '1.3.6.1.4.1.57264.1.9',
  runnerEnvironment: '1.3.6.1.4.1.57264.1.11',
  sourceSha: '1.3.6.1.4.1.57264.1.13',
  repositoryId: '1.3.6.1.4.1.57264.1.15',
  trigger: '1.3.6.1.4.1.57264.1.20',
  runUri: '1.3.6.1.4.1.57264.1.21',
} as const satisfies Record<keyof ProvenanceIdentity, string>;

/**
 * Checks a bundle offline: its signature, certificate chain, transparency and timestamps against one root at a time, and that its statement
 * is a provenance of the digest. Returns the identity that the certificate states. Whether this identity may state provenance for a
 * repository is decided by `findIdentityProblem`. The first check takes about 300 ms, so only jobs call it.
 */
export function verifyBundle(bytes: Uint8Array, digest: string, roots: readonly TrustRoot[]): BundleResult {
  let bundle: ReturnType<typeof bundleFromJSON>;
  try {
    bundle = bundleFromJSON(JSON.parse(Buffer.from(bytes).toString('utf8')));
  } catch (error) {
    return invalid(`It is not a Sigstore bundle: ${describe(error)}`);
  }
  const { content } = bundle;
  if (content.$case !== 'dsseEnvelope') return invalid('It has no DSSE envelope.');
  const certificate = findCertificate(bundle);
  if (certificate === null) return invalid('It is not signed with a certificate.');
  const problem = verifyAgainst(bundle, roots);
  if (problem !== null) return invalid(problem);
  const { payload, payloadType } = content.dsseEnvelope;
  const statementProblem =
    payloadType === PAYLOAD_TYPE ? findStatementProblem(payload, digest) : 'Its envelope has no in-toto statement.';
  if (statementProblem !== null) return invalid(statementProblem);
  const identity: Partial<Record<keyof ProvenanceIdentity, string>> = {};
  for (const [name, oid] of Object.entries(EXTENSIONS) as [keyof ProvenanceIdentity, string][]) {
    const value = readExtension(certificate, oid);
    if (value === null) return invalid(`Its certificate lacks the extension ${oid}.`);
    identity[name] = value;
  }
  return { status: 'verified', identity: identity as ProvenanceIdentity };
}

/**
 * Returns whether the statement of a bundle has a predicate type that is not provenance. Nothing is verified. A statement that cannot be read
 * counts as provenance, because its verification then names the reason.
 */
export function statesOtherPredicate(bytes: Uint8Array): boolean {
  try {
    const { dsseEnvelope } = JSON.parse(Buffer.from(bytes).toString('utf8')) as { dsseEnvelope: { payload: string } };
    const statement: unknown = JSON.parse(Buffer.from(dsseEnvelope.payload, 'base64').toString('utf8'));
    const predicateType = isObject(statement) ? statement['predicateType'] : null;
    return typeof predicateType === 'string' && predicateType !== PREDICATE_TYPE;
  } catch {
    return false;
  }
}

const invalid = (reason: string): BundleResult => ({ status: 'invalid', reason });

function findCertificate({
  verificationMaterial: { content },
}: ReturnType<typeof bundleFromJSON>): X509Certificate | null {
  const raw =
    content.$case === 'certificate'
      ? content.certificate.rawBytes
      : content.$case === 'x509CertificateChain'
        ? content.x509CertificateChain.certificates[0]?.rawBytes
        : undefined;
  try {
    return raw === undefined ? null : X509Certificate.parse(Buffer.from(raw));
  } catch {
    return null;
  }
}

/** Returns null if one of the roots accepts the bundle, else the reason of each. */
function verifyAgainst(bundle: ReturnType<typeof bundleFromJSON>, roots: readonly TrustRoot[]): string | null {
  const reasons: string[] = [];
  for (const { name, verifier } of roots) {
    try {
      verifier.verify(toSignedEntity(bundle));
      return null;
    } catch (error) {
      reasons.push(`${name}: ${describe(error)}`);
    }
  }
  return `No trusted root accepts it. ${reasons.join('; ')}`;
}

/** The messages of the library name no secret. Other errors are those of its parsers, for bytes that are no certificate. */
const describe = (error: unknown): string => (error instanceof Error ? error.message : 'unknown error').slice(0, 300);

function findStatementProblem(payload: Uint8Array, digest: string): string | null {
  let statement: unknown;
  try {
    statement = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload)) as unknown;
  } catch {
    return 'Its statement is not JSON.';
  }
  const { _type, predicateType, subject } = isObject(statement) ? statement : {};
  if (_type !== STATEMENT_TYPE) return `Its statement is not of the type ${STATEMENT_TYPE}.`;
  if (predicateType !== PREDICATE_TYPE) return `Its statement does not have the predicate type ${PREDICATE_TYPE}.`;
  const subjects: readonly unknown[] = Array.isArray(subject) ? subject : [];
  const hasDigest = subjects.some(
    (one) => isObject(one) && isObject(one['digest']) && `sha256:${String(one['digest']['sha256'])}` === digest,
  );
  return hasDigest ? null : `Its statement does not have the digest ${digest} among its subjects.`;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Returns the text of an extension. Null if it is missing, occurs twice, or is not exactly one DER UTF8String. */
function readExtension(certificate: X509Certificate, oid: string): string | null {
  const found = certificate.extensions.filter(({ subs }) => subs[0]?.toOID() === oid);
  const value = found[0]?.subs.at(-1)?.value;
  if (found.length !== 1 || value === undefined) return null;
  try {
    const text = ASN1Obj.parseBuffer(Buffer.from(value));
    if (!text.tag.isUniversal() || text.tag.number !== UTF8_STRING || !text.toDER().equals(value)) return null;
    const decoded = new TextDecoder('utf-8', { fatal: true }).decode(text.value);
    return decoded !== '' && decoded.length <= MAX_VALUE_LENGTH && !/\p{Cc}/u.test(decoded) ? decoded : null;
  } catch {
    return null;
  }
}

/** The tag of a UTF8String: ITU-T X.680, § 8.6. */
const UTF8_STRING = 0x0c;
