import { describe, expect, it } from '@jest/globals';
import {
  chooseBlockSize,
  isPackPath,
  PACK_SCHEMA,
  packJson,
  type PackManifest,
  readManifest,
  readSignature,
} from './pack-manifest.js';

const FILE = { path: 'release.json', size: 3, sha256: 'a'.repeat(64), crc32: '0123abcd', blocks: 'A'.repeat(16) };
const MANIFEST: PackManifest = {
  schema: PACK_SCHEMA,
  service: '0.1.0',
  release: { milestoneId: 'm', org: 'acme', repo: 'payments', version: 'v1.0.0' },
  madeAt: '2026-05-04T10:00:00.000Z',
  files: [FILE],
};
const SIGNATURE = { algorithm: 'Ed25519', keyId: 'k', publicKey: 'x', signature: 's' } as const;

describe('the blocks of a file', () => {
  it.each([
    [0, 1_024],
    [1_048_576, 1_024],
    [1_048_577, 2_048],
    [10_485_760, 16_384],
    [2_147_483_648, 2_097_152],
  ])('of %d bytes have %d', (size, block) => {
    expect(chooseBlockSize(size)).toBe(block);
    expect(Math.ceil(size / block)).toBeLessThanOrEqual(1_024);
  });
});

describe('a path of a pack', () => {
  it.each(['README.txt', 'reports/0a1b', 'evidence-pulls/7/EVIDENCE.md', 'a/..b/c'])('may be %s', (path) => {
    expect(isPackPath(path)).toBe(true);
  });

  it.each([
    '',
    '/etc/passwd',
    '../up',
    'a/../b',
    './a',
    'a//b',
    'a/',
    'a\\b',
    'C:/a',
    'a b',
    'ä',
    'a\u0000',
    'x'.repeat(256),
  ])('may not be %j', (path) => {
    expect(isPackPath(path)).toBe(false);
  });
});

describe('a manifest', () => {
  it('is read as it was written', () => {
    expect(readManifest(packJson(MANIFEST))).toEqual(MANIFEST);
  });

  it.each<[string, unknown]>([
    ['of another schema', { ...MANIFEST, schema: 'shipgate.audit-pack.v2' }],
    ['with a path that leaves the pack', { ...MANIFEST, files: [{ ...FILE, path: '../a' }] }],
    ['that names a file twice', { ...MANIFEST, files: [FILE, FILE] }],
    ['that names itself', { ...MANIFEST, files: [{ ...FILE, path: 'manifest.json' }] }],
    ['with a size that is none', { ...MANIFEST, files: [{ ...FILE, size: -1 }] }],
    ['with a block too many', { ...MANIFEST, files: [{ ...FILE, blocks: 'A'.repeat(32) }] }],
    ['with a digest that is none', { ...MANIFEST, files: [{ ...FILE, sha256: 'A'.repeat(64) }] }],
    ['made at no moment', { ...MANIFEST, madeAt: '2026-13-04T10:00:00.000Z' }],
    ['of no release', { ...MANIFEST, release: null }],
    ['whose files are none', { ...MANIFEST, files: {} }],
    ['that is null', null],
    ['that is a text', 'manifest'],
  ])('is none %s', (_, value) => {
    expect(readManifest(packJson(value as PackManifest))).toBeNull();
  });

  it.each([
    ['with white space', `${packJson(MANIFEST)} `],
    ['in another layout', JSON.stringify(MANIFEST)],
    ['that is no JSON', '{'],
  ])('is none %s', (_, text) => {
    expect(readManifest(text)).toBeNull();
  });
});

describe('a signature', () => {
  it('is read as it was written, and in no other way', () => {
    expect(readSignature(packJson(SIGNATURE))).toEqual(SIGNATURE);
    for (const text of [JSON.stringify(SIGNATURE), '', 'null', packJson({ ...SIGNATURE, more: 1 } as never)]) {
      expect(readSignature(text)).toBeNull();
    }
    expect(readSignature(packJson({ ...SIGNATURE, algorithm: 'none' } as never))).toBeNull();
  });
});
