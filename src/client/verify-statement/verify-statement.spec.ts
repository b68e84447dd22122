import { describe, expect, it } from '@jest/globals';
import {
  givenSigner,
  givenStatement,
  signPayload,
  STATED,
  type StatementSigner,
} from '../../../test/support/given-statement.js';
import type { DsseEnvelope } from '../../crypto/dsse.js';
import { buildStatement, type StatementContent } from '../../domain/statement/statement.js';
import { type ExpectedStatement, type StatementCheck, verifyStatement } from './verify-statement.js';

const signer = givenSigner();
const stranger = givenSigner();
const trusted = ({ keyId, x }: StatementSigner, retiredAt: string | null = null) => ({ keyId, x, retiredAt });

const EXPECTED: ExpectedStatement = {
  digest: STATED.digest,
  commit: STATED.commit,
  resource: 'https://shipgate.example/repositories/4001/environments/production',
  verifier: 'https://shipgate.example',
  keys: [trusted(signer)],
  at: new Date('2026-05-04T10:10:00.000Z'),
};

const STAGING = 'eu/staging';
const AT_STAGING = 'https://shipgate.example/repositories/4001/environments/eu%2Fstaging';

const check = (envelope: unknown, changes: Partial<ExpectedStatement> = {}): StatementCheck =>
  verifyStatement(Buffer.from(typeof envelope === 'string' ? envelope : JSON.stringify(envelope)), {
    ...EXPECTED,
    ...changes,
  });
const rejection = (reason: string) => ({ isValid: false, reason: expect.stringContaining(reason) });

/** Signs the statement with one of its texts replaced. */
const resigned = (from: string, to: string): DsseEnvelope => {
  const payload = buildStatement(STATED);
  if (!payload.includes(from)) throw new Error(`The statement has no ${from}.`);
  return signPayload(payload.replace(from, to), signer);
};

describe('verifyStatement', () => {
  it('accepts a statement of an open gate until it expires', () => {
    const valid = { isValid: true, decisionId: STATED.decisionId, validUntil: STATED.openUntil, keyId: signer.keyId };
    expect(check(givenStatement(signer))).toEqual(valid);
    expect(check(givenStatement(signer), { at: new Date('2026-05-04T10:19:59.999Z') })).toEqual(valid);
    expect(check(givenStatement(signer), { at: STATED.openUntil })).toEqual(rejection('it was valid until'));
    expect(check(givenStatement(signer), { at: new Date('2026-05-04T09:50:00Z') })).toEqual(rejection('is later than'));
  });

  it('accepts a statement about the commit alone only for the commit', () => {
    const statement = givenStatement(signer, { digest: null });
    expect(check(statement, { digest: null })).toMatchObject({ isValid: true });
    expect(check(statement, { commit: null })).toEqual(rejection('another digest'));
  });

  it.each<[string, Partial<ExpectedStatement>]>([
    ['another digest', { digest: `sha256:${'0'.repeat(64)}` }],
    ['another commit', { commit: '0'.repeat(40) }],
    ['another resource', { resource: `${EXPECTED.resource}-eu` }],
    ['another verifier', { verifier: 'https://shipgate.example.com' }],
    ['no signature is of a given key', { keys: [trusted(stranger)] }],
    ['no signature is of a given key', { keys: [] }],
  ])('rejects %s', (reason, changes) => {
    expect(check(givenStatement(signer), changes)).toEqual(rejection(reason));
  });

  it('rejects a closed gate, also within the time of an open one', () => {
    expect(check(givenStatement(signer, { isOpen: false }))).toEqual(rejection('the gate was closed'));
  });

  it.each([
    ['it is not of the type', 'https://in-toto.io/Statement/v1', 'https://in-toto.io/Statement/v0.1'],
    ['not a verification summary', 'verification_summary/v1', 'provenance/v1'],
    ['its level is not', '["SHIPGATE_GATE"]', '["SHIPGATE_GATE","FAILED"]'],
    ['its level is not', '["SHIPGATE_GATE"]', '"SHIPGATE_GATE"'],
    ['the gate was closed', '"PASSED"', 'true'],
    ['another verifier', '{"id":"https://shipgate.example"}', '{"id":["https://shipgate.example"]}'],
    ['its predicate is incomplete', '{"id":"https://shipgate.example"}', 'null'],
    ['which decision', '2026-05-04T10:20:00.000Z', '2026-05-04T10:20:00Z'],
    ['which decision', '2026-05-04T10:20:00.000Z', '2026-02-31T10:20:00.000Z'],
    ['which decision', '"2026-05-04T10:20:00.000Z"', '9999999999999'],
    ['which decision', 'https://shipgate.example/statement/v1', 'https://another.example/statement/v1'],
    ['another digest', '"subject":[{', '"subject":[],"x":[{'],
  ])('rejects a signed statement of another form: %s', (reason, from, to) => {
    expect(check(resigned(from, to))).toEqual(rejection(reason));
  });

  it.each([
    ['"verificationResult":"PASSED"', '"verificationResult":"FAILED","verificationResult":"PASSED"'],
    ['"verificationResult":"PASSED"', String.raw`"verificationResult":"FAILED","verification\u0052esult":"PASSED"`],
    ['{"_type"', '{"_type":"x","_type"'],
    ['{"_type"', '[{"_type"'],
    ['{"_type"', '\u{FEFF}{"_type"'],
  ])('rejects a signed payload that can be read in two ways or in none: %s', (from, to) => {
    expect(check(resigned(from, to))).toEqual(rejection('read in one way only'));
  });

  it('rejects a signed payload that is no UTF-8', () => {
    const bytes = Buffer.from(buildStatement(STATED));
    bytes[bytes.indexOf('production')] = 0xff;
    expect(check(signPayload(bytes, signer))).toEqual(rejection('read in one way only'));
  });

  it('rejects a payload that was changed after it was signed', () => {
    const { payload, ...rest } = givenStatement(signer, { isOpen: false });
    const changed = Buffer.from(payload, 'base64').toString().replace('FAILED', 'PASSED');
    expect(check({ ...rest, payload: Buffer.from(changed).toString('base64') })).toEqual(rejection('was changed'));
  });

  it('rejects the signature of another payload type', () => {
    const other = signPayload(buildStatement(STATED), signer, 'application/json');
    expect(check(other)).toEqual(rejection('its payload type is not'));
    expect(check({ ...other, payloadType: 'application/vnd.in-toto+json' })).toEqual(rejection('was changed'));
  });

  it('accepts one of several signatures, and ignores the key that a signature names', () => {
    const [ours, theirs] = [givenStatement(signer), givenStatement(stranger)];
    const both = { ...ours, signatures: [...theirs.signatures, ...ours.signatures] };
    expect(check(both)).toMatchObject({ isValid: true, keyId: signer.keyId });
    const renamed = ours.signatures.map((signature) => ({ ...signature, keyid: stranger.keyId }));
    expect(check({ ...ours, signatures: renamed })).toMatchObject({ isValid: true, keyId: signer.keyId });
    const named = theirs.signatures.map((signature) => ({ ...signature, keyid: signer.keyId }));
    expect(check({ ...theirs, signatures: [...named, ...named] })).toEqual(rejection('no signature is of a given key'));
  });

  it.each([
    ['a list', '[]'],
    ['no JSON', '{'],
    ['two payloads', JSON.stringify(givenStatement(signer)).replace('{', '{"payload":"e30=",')],
    ['no signature', JSON.stringify({ ...givenStatement(signer), signatures: [] })],
    ['no list of signatures', JSON.stringify({ ...givenStatement(signer), signatures: {} })],
    ['a signature that is no object', JSON.stringify({ ...givenStatement(signer), signatures: ['x'] })],
    [
      'too many signatures',
      JSON.stringify({ ...givenStatement(signer), signatures: Array.from({ length: 17 }, () => ({ sig: 'AA==' })) }),
    ],
    ['a payload that is no text', JSON.stringify({ ...givenStatement(signer), payload: 7 })],
    ['an empty payload', JSON.stringify({ ...givenStatement(signer), payload: '' })],
  ])('rejects %s', (_, envelope) => {
    expect(check(envelope)).toMatchObject({ isValid: false });
  });

  it('reads deeply nested JSON without a failure', () => {
    const deep = `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`;
    expect(check(deep)).toEqual(rejection('its payload type is not'));
  });

  it('accepts both alphabets of base64, and no other text of the same bytes', () => {
    const envelope = givenStatement(signer);
    const url = Buffer.from(envelope.payload, 'base64').toString('base64url');
    expect(check({ ...envelope, payload: url })).toMatchObject({ isValid: true });
    for (const payload of [`${envelope.payload} `, `${envelope.payload}=`, ` ${envelope.payload}`]) {
      expect(check({ ...envelope, payload })).toEqual(rejection('its payload is not base64'));
    }
  });

  it('accepts a retired key only for what it can have signed before', () => {
    const retired = (at: string) => ({ keys: [trusted(signer, at)] });
    expect(check(givenStatement(signer), retired('2026-05-04T10:05:00.000Z'))).toMatchObject({ isValid: true });
    expect(check(givenStatement(signer), retired('2026-05-04T09:59:59.000Z'))).toEqual(rejection('was retired'));
    expect(check(givenStatement(signer), retired('not a time'))).toEqual(rejection('was retired'));
    const backdated = givenStatement(signer, { openUntil: new Date('2027-05-04T10:00:00.000Z') });
    expect(check(backdated, retired('2026-05-04T10:05:00.000Z'))).toEqual(rejection('was retired'));
  });

  describe.each<[string, Partial<StatementContent>, Partial<ExpectedStatement>]>([
    ['the commit and an artifact', {}, {}],
    ['an artifact, without the commit', { commit: null }, { commit: null }],
    ['the commit alone', { digest: null }, { digest: null }],
    [
      'an environment before the target',
      { digest: null, environment: STAGING },
      { digest: null, resource: AT_STAGING },
    ],
    ['an artifact in an environment before the target', { environment: STAGING }, { resource: AT_STAGING }],
  ])('about %s', (_, content, changes) => {
    const statement = givenStatement(signer, content);
    const envelope = Buffer.from(JSON.stringify(statement));
    const expected = { ...EXPECTED, ...changes };

    it('rejects every change of one byte of the envelope, or reads the same signed statement', () => {
      const signed = verifyStatement(envelope, expected);
      expect(signed).toMatchObject({ isValid: true, keyId: signer.keyId });
      const accepted: number[] = [];
      for (let at = 0; at < envelope.length; at += 1) {
        for (const flip of [0x01, 0x20, 0x80, (at % 255) + 1]) {
          const changed = Buffer.from(envelope);
          changed[at] = (changed[at] ?? 0) ^ flip;
          const result = verifyStatement(changed, expected);
          if (!result.isValid) continue;
          expect(result).toEqual(signed);
          accepted.push(at);
        }
      }
      // Only the name of the key is not signed.
      const keyid = envelope.indexOf('"keyid"');
      expect(accepted.every((at) => at >= keyid && at < envelope.indexOf('"sig"'))).toBe(true);
    }, 60_000);

    it('rejects every change of one byte of the payload', () => {
      const payload = Buffer.from(statement.payload, 'base64');
      for (let at = 0; at < payload.length; at += 1) {
        const changed = Buffer.from(payload);
        changed[at] = (changed[at] ?? 0) ^ ((at % 255) + 1);
        const result = check({ ...statement, payload: changed.toString('base64') }, expected);
        expect(result).toEqual(rejection('was changed'));
      }
    }, 60_000);

    it('rejects every envelope that ends early', () => {
      for (let length = 0; length < envelope.length; length += 1) {
        expect(verifyStatement(envelope.subarray(0, length), expected)).toMatchObject({ isValid: false });
      }
    });
  });
});
