import { describe, expect, it } from '@jest/globals';
import { STATED } from '../../../test/support/given-statement.js';
import { buildStatement, type StatementContent } from './statement.js';

const parse = (changes: Partial<StatementContent> = {}): unknown =>
  JSON.parse(buildStatement({ ...STATED, ...changes }));
const COMMIT = { digest: { gitCommit: STATED.commit } };

describe('buildStatement', () => {
  it('states an open gate as a verification summary', () => {
    expect(parse()).toEqual({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ digest: { sha256: '9f86d081'.repeat(8) } }, COMMIT],
      predicateType: 'https://slsa.dev/verification_summary/v1',
      predicate: {
        verifier: { id: 'https://shipgate.example' },
        timeVerified: '2026-05-04T10:00:00.000Z',
        resourceUri: 'https://shipgate.example/repositories/4001/environments/production',
        policy: {
          uri: 'https://shipgate.example/repositories/4001/policy',
          digest: { sha256: 'ab'.repeat(32) },
        },
        inputAttestations: [],
        verificationResult: 'PASSED',
        verifiedLevels: ['SHIPGATE_GATE'],
        'https://shipgate.example/statement/v1': {
          decisionId: STATED.decisionId,
          validUntil: '2026-05-04T10:20:00.000Z',
        },
      },
    });
  });

  it('states a closed gate with its reasons, valid until its decision only', () => {
    const reasons = [{ code: 'approvals_missing', actor: 'reviewer' }] as const;
    expect(parse({ isOpen: false, reasons, policyDigest: null })).toMatchObject({
      predicate: {
        policy: { uri: 'https://shipgate.example/repositories/4001/policy' },
        verificationResult: 'FAILED',
        verifiedLevels: ['FAILED'],
        'https://shipgate.example/statement/v1': { validUntil: '2026-05-04T10:00:00.000Z', reasons },
      },
    });
  });

  it('is about the commit alone without a digest, and about the digest alone without a candidate', () => {
    expect(parse({ digest: null })).toMatchObject({ subject: [COMMIT] });
    expect(parse({ commit: null, isOpen: false })).toMatchObject({
      subject: [{ digest: { sha256: '9f86d081'.repeat(8) } }],
    });
  });

  it('names the verified attestations by the digest of their bytes, and nothing else', () => {
    expect(parse({ attestations: ['cd'.repeat(32)] })).toMatchObject({
      predicate: { inputAttestations: [{ digest: { sha256: 'cd'.repeat(32) } }] },
    });
  });

  it('escapes the name of an environment, so that it cannot name another resource', () => {
    expect(parse({ environment: 'eu/../production' })).toMatchObject({
      predicate: { resourceUri: 'https://shipgate.example/repositories/4001/environments/eu%2F..%2Fproduction' },
    });
  });

  it('gives the same bytes for the same content', () => {
    expect(buildStatement({ ...STATED })).toBe(buildStatement({ ...STATED }));
  });
});
