import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { sha256 } from '../../src/crypto/digests.js';
import { toStoredInputs, toStoredVerdict } from '../../src/domain/release/replay.js';
import { canonicalJson, type JsonObject } from '../../src/domain/audit/canonical-json.js';
import { hashEntry } from '../../src/domain/audit/hash-chain.js';
import { type PackSource, writePack } from '../../src/features/audit-pack/pack-writer.js';
import { jwkThumbprint } from '../../src/crypto/public-key.js';
import type { Signer } from '../../src/features/signing/signing.service.js';
import { givenOpenRelease } from './release-builder.js';

const WORKSPACE = '00000000-0000-4000-8000-000000000001';
const CREATED_AT = new Date('2026-05-04T10:00:02.500Z');

/** A key that no other test uses. */
export function givenSigner(): Signer {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return { keyId: jwkThumbprint(x), x, sign: (content) => sign(null, content, privateKey).toString('base64url') };
}

/** The published public keys. */
export const keySetOfSigner = (
  { keyId, x }: Pick<Signer, 'keyId' | 'x'>,
  retiredAt: string | null = null,
): JsonObject => ({
  keys: [
    {
      kty: 'OKP',
      crv: 'Ed25519',
      x,
      kid: keyId,
      use: 'sig',
      alg: 'EdDSA',
      madeAt: CREATED_AT.toISOString(),
      retiredAt,
    },
  ],
});

/** The files of a small pack by path, in their order. */
export function givenPackFiles(
  signer: Signer,
  reports: readonly Buffer[] = [Buffer.from('<testsuite/>')],
): Map<string, Buffer> {
  const json = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
  const release = givenOpenRelease();
  const inputs = toStoredInputs(release.inputs());
  const verdict = toStoredVerdict(release.verdict());
  const { candidateSha, policyDigest } = verdict;
  const received = {
    id: 'd',
    at: release.inputs().now,
    open: verdict.gate.openUntil !== null,
    candidateSha,
    policyDigest,
  };
  const named = reports.map((bytes) => [createHash('sha256').update(bytes).digest('hex'), bytes] as const);
  const document: JsonObject = {
    schema: 'shipgate.evidence.v1',
    version: 'v1.0.0',
    metrics: { line_percent: 87.5 },
    evidence: [{ files: named.map(([digest, { length }]) => ({ name: 'junit.xml', size: length, sha256: digest })) }],
  };
  const value = signer.sign(Buffer.from(canonicalJson(document)));
  const entry = {
    previousHash: '0'.repeat(64),
    sequence: 1,
    id: WORKSPACE,
    at: CREATED_AT.toISOString(),
    actor: { type: 'person', id: 7, login: 'ada' },
    action: 'release.started',
    subject: 'v1.0.0',
    data: { milestoneId: 'm' },
  };
  return new Map([
    ['README.txt', Buffer.from('read me\n')],
    [
      'evidence/00001-e.json',
      json({
        id: 'e',
        reports: named.map(([digest, { length }]) => ({ name: 'junit.xml', sha256: digest, size: length })),
      }),
    ],
    ...named.map(([digest, bytes]) => [`reports/${digest}`, bytes] as const),
    [
      'evidence-pulls/7/evidence.json',
      json({ ...document, signature: { algorithm: 'Ed25519', keyId: signer.keyId, value } }),
    ],
    ['decisions/00001-d.json', json({ ...received, verdict, inputs })],
    [
      'history.json',
      json([
        { id: 'h', kind: 'release', decisionId: 'd' },
        { id: 'u', kind: 'ungoverned', decisionId: null },
      ]),
    ],
    ['empty', Buffer.alloc(0)],
    [
      'audit-log.json',
      json({ workspace: WORKSPACE, entries: [{ ...entry, hash: hashEntry({ ...entry, orgId: WORKSPACE }, sha256) }] }),
    ],
    ['keys.json', json(keySetOfSigner(signer))],
  ]);
}

/** Packs the files like the service. */
export async function packOf(signer: Signer, files: ReadonlyMap<string, Buffer>): Promise<Buffer> {
  const release = { milestoneId: 'm', org: 'acme', repo: 'payments', version: 'v1.0.0' };
  const title = { service: '0.1.0', release, createdAt: CREATED_AT };
  const chunks: Uint8Array[] = [];
  for await (const chunk of writePack(sourcesOf(files), title, async () => signer)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* sourcesOf(files: ReadonlyMap<string, Buffer>): AsyncGenerator<PackSource> {
  for (const [path, bytes] of files) {
    yield {
      path,
      size: bytes.length,
      sha256: null,
      async *read() {
        yield bytes;
      },
    };
  }
}
