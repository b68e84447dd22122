import { encodeForSignature } from '../../crypto/dsse.js';
import { isSignedBy } from '../../crypto/public-key.js';
import { MAX_OPEN_MS } from '../../domain/release/open-until.js';
import {
  GATE_LEVEL,
  STATEMENT_PAYLOAD_TYPE,
  STATEMENT_PREDICATE_TYPE,
  STATEMENT_TYPE,
  statementExtension,
} from '../../domain/statement/statement.js';
import type { TrustedKey } from '../verify-pack/verify-pack.js';
import { isRecord, parseUnambiguousObject } from './json-members.js';

/** What a statement must say. */
export interface ExpectedStatement {
  /** The digest of the artifact, as `sha256:…`; null if only the commit is expected. */
  readonly digest: string | null;
  /** The commit; null if only the artifact is expected. */
  readonly commit: string | null;
  /** The name of the repository's environment: `<service>/repositories/<id>/environments/<name>`. */
  readonly resource: string;
  /** The address of the service. */
  readonly verifier: string;
  readonly keys: readonly TrustedKey[];
  /** The time at which the statement must be valid. */
  readonly at: Date;
}

/** A statement that says what is expected, or the first reason why it does not. */
export type StatementCheck =
  | { readonly isValid: true; readonly decisionId: string; readonly validUntil: Date; readonly keyId: string }
  | { readonly isValid: false; readonly reason: string };

/** The clock of the service may be ahead of this one by so much. */
const CLOCK_MS = 60_000;
/** More than the service ever signs with, and few enough to try each with each key. */
const MAX_SIGNATURES = 16;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const rejected = (reason: string): StatementCheck => ({ isValid: false, reason });

/**
 * Verifies the signature of a statement and everything that it says. The type of the payload is part of the signature. `keyid` is not,
 * so every key is tried.
 */
export function verifyStatement(envelope: Uint8Array, expected: ExpectedStatement): StatementCheck {
  const signed = readEnvelope(envelope);
  if (typeof signed === 'string') return rejected(signed);
  const bytes = encodeForSignature(STATEMENT_PAYLOAD_TYPE, signed.payload);
  const signer = expected.keys.find(({ x }) => signed.signatures.some((signature) => isSignedBy(x, bytes, signature)));
  if (signer === undefined) return rejected('no signature is of a given key, or the statement was changed');
  const statement = parseUnambiguousObject(signed.payload);
  if (statement === null) return rejected('its payload is not JSON that can be read in one way only');
  return checkStatement(statement, expected, signer);
}

interface SignedPayload {
  readonly payload: Buffer;
  /** In base64url. */
  readonly signatures: readonly string[];
}

/** Returns the parts of an envelope, or why it is not one. */
function readEnvelope(bytes: Uint8Array): SignedPayload | string {
  const envelope = parseUnambiguousObject(bytes);
  if (envelope === null) return 'it is not a JSON object that can be read in one way only';
  const { payloadType, payload, signatures } = envelope;
  if (payloadType !== STATEMENT_PAYLOAD_TYPE) return `its payload type is not ${STATEMENT_PAYLOAD_TYPE}`;
  const content = decodeBase64(payload);
  if (content === null) return 'its payload is not base64';
  if (!Array.isArray(signatures) || signatures.length === 0 || signatures.length > MAX_SIGNATURES) {
    return `it has not 1 to ${MAX_SIGNATURES} signatures`;
  }
  const decoded = signatures.map((one: unknown) => (isRecord(one) ? decodeBase64(one['sig']) : null));
  if (decoded.some((signature) => signature === null)) return 'one of its signatures is not base64';
  return { payload: content, signatures: decoded.map((signature) => signature?.toString('base64url') ?? '') };
}

/** Decodes base64 of both alphabets, which the specification allows. Null for a text that another one would decode to the same bytes. */
function decodeBase64(text: unknown): Buffer | null {
  if (typeof text !== 'string' || text === '') return null;
  const bytes = Buffer.from(text, 'base64');
  return [bytes.toString('base64'), bytes.toString('base64url')].includes(text) ? bytes : null;
}

function checkStatement(
  statement: Readonly<Record<string, unknown>>,
  { digest, commit, resource, verifier, at }: ExpectedStatement,
  { keyId, retiredAt }: TrustedKey,
): StatementCheck {
  const { _type: type, predicateType, predicate, subject } = statement;
  if (type !== STATEMENT_TYPE) return rejected(`it is not of the type ${STATEMENT_TYPE}`);
  if (predicateType !== STATEMENT_PREDICATE_TYPE) return rejected(`its predicate is not a verification summary`);
  if (!isRecord(predicate) || !isRecord(predicate['verifier'])) return rejected('its predicate is incomplete');
  if (predicate['verifier']['id'] !== verifier) return rejected('another verifier made it');
  if (predicate['resourceUri'] !== resource) return rejected('it is about another resource');
  if (digest !== null && !hasSubject(subject, 'sha256', digest.replace(/^sha256:/, ''))) {
    return rejected('it is about another digest');
  }
  if (commit !== null && !hasSubject(subject, 'gitCommit', commit)) return rejected('it is about another commit');
  const { verificationResult: result, verifiedLevels: levels } = predicate;
  if (result !== 'PASSED') return rejected('its result is not PASSED: the gate was closed');
  if (!Array.isArray(levels) || levels.length !== 1 || levels[0] !== GATE_LEVEL) {
    return rejected(`its level is not ${GATE_LEVEL}`);
  }
  const own = predicate[statementExtension(verifier)];
  const decidedAt = readMoment(predicate['timeVerified']);
  const validUntil = isRecord(own) ? readMoment(own['validUntil']) : null;
  if (!isRecord(own) || typeof own['decisionId'] !== 'string' || validUntil === null || decidedAt === null) {
    return rejected('it does not say which decision it is about, and until when it is valid');
  }
  if (decidedAt.getTime() > at.getTime() + CLOCK_MS)
    return rejected('its decision is later than the time of this check');
  if (validUntil.getTime() <= at.getTime()) return rejected(`it was valid until ${validUntil.toISOString()}`);
  if (retiredAt !== null && isAfterRetirement({ decidedAt, validUntil }, new Date(retiredAt))) {
    return rejected('its key was retired before the statement can have been signed');
  }
  return { isValid: true, decisionId: own['decisionId'], validUntil, keyId };
}

/** Whether one of the subjects has this digest. A statement holds for each of its subjects. */
const hasSubject = (subjects: unknown, algorithm: string, value: string): boolean =>
  Array.isArray(subjects) &&
  subjects.some(
    (subject: unknown) => isRecord(subject) && isRecord(subject['digest']) && subject['digest'][algorithm] === value,
  );

/** A statement is signed at least at its decision, and is valid for at most `MAX_OPEN_MS` after it was signed. */
const isAfterRetirement = (
  { decidedAt, validUntil }: { readonly decidedAt: Date; readonly validUntil: Date },
  retiredAt: Date,
): boolean => !(decidedAt <= retiredAt && validUntil.getTime() <= retiredAt.getTime() + MAX_OPEN_MS);

/** Parses a time in the only form in which the service writes one. */
function readMoment(text: unknown): Date | null {
  if (typeof text !== 'string' || !MOMENT.test(text) || Number.isNaN(Date.parse(text))) return null;
  const at = new Date(text);
  return at.toISOString() === text ? at : null;
}
