import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { type DsseEnvelope, encodeForSignature } from '../../src/crypto/dsse.js';
import { jwkThumbprint } from '../../src/crypto/public-key.js';
import { buildStatement, type StatementContent, STATEMENT_PAYLOAD_TYPE } from '../../src/domain/statement/statement.js';

export interface StatementSigner {
  readonly keyId: string;
  readonly x: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export function givenSigner(): StatementSigner {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return { keyId: jwkThumbprint(x), x, privateKey, publicKey };
}

/** The content of a statement about an open gate. */
export const STATED: StatementContent = {
  service: 'https://shipgate.example',
  repositoryGithubId: 4001,
  environment: 'production',
  commit: '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392',
  digest: `sha256:${'9f86d081'.repeat(8)}`,
  isOpen: true,
  decisionId: '0d8a7f9e-6a0f-4a55-9d5b-6a1b3c7d2e10',
  decidedAt: new Date('2026-05-04T10:00:00.000Z'),
  openUntil: new Date('2026-05-04T10:20:00.000Z'),
  policyDigest: 'ab'.repeat(32),
  attestations: [],
  reasons: [],
};

/** Signs a payload as the service does. */
export function signPayload(
  payload: string | Buffer,
  { keyId, privateKey }: StatementSigner,
  payloadType: string = STATEMENT_PAYLOAD_TYPE,
): DsseEnvelope {
  const bytes = Buffer.from(payload);
  const sig = sign(null, encodeForSignature(payloadType, bytes), privateKey).toString('base64');
  return { payloadType, payload: bytes.toString('base64'), signatures: [{ keyid: keyId, sig }] };
}

export const givenStatement = (signer: StatementSigner, changes: Partial<StatementContent> = {}): DsseEnvelope =>
  signPayload(buildStatement({ ...STATED, ...changes }), signer);
