import { describe, expect, it } from '@jest/globals';
import { canonicalJson, type JsonObject } from '../../domain/audit/canonical-json.js';
import { CANDIDATE, coveragePiece } from '../../../test/support/given-facts.js';
import { givenSigner } from '../../../test/support/given-pack.js';
import { isSignedBy } from '../signing/public-key.js';
import { type EvidenceContent, evidenceJson } from './evidence-document.js';

const signer = givenSigner();
const PIECES = [
  coveragePiece(1e-7, { pipeline: 'prüfen "alles" \u2028 🚀' }),
  coveragePiece(1e21),
  coveragePiece(87.5),
  coveragePiece(null),
];
const CONTENT: EvidenceContent = {
  repository: 'acme/payments',
  version: 'v1.0.0',
  candidateSha: CANDIDATE,
  policyDigest: 'a'.repeat(64),
  setDigest: 'b'.repeat(64),
  set: [{ pipeline: 'build', kind: 'coverage', environment: 'ci', pieces: PIECES, flaky: true }],
  revision: 0,
  approvalsRequired: 1,
  runUrls: new Map(),
};

interface Signed extends JsonObject {
  readonly signature: { readonly algorithm: string; readonly keyId: string; readonly value: string };
}

describe('evidence.json', () => {
  it('is the same text for the same content and the same key', () => {
    expect(evidenceJson(CONTENT, signer)).toBe(evidenceJson({ ...CONTENT }, signer));
    expect(evidenceJson(CONTENT, givenSigner())).not.toBe(evidenceJson(CONTENT, signer));
  });

  it('is signed over the canonical JSON of what a reader finds in it, whatever numbers and texts that has', () => {
    const { signature, ...document } = JSON.parse(evidenceJson(CONTENT, signer)) as Signed;
    expect(signature).toMatchObject({ algorithm: 'Ed25519', keyId: signer.keyId });
    expect(isSignedBy(signer.x, Buffer.from(canonicalJson(document)), signature.value)).toBe(true);
    expect(isSignedBy(signer.x, Buffer.from(canonicalJson({ ...document, revision: 1 })), signature.value)).toBe(false);
  });
});
