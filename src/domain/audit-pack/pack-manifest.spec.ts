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

describe('chooseBlockSize', () => {
  it.each([
    [0, 1_024],
    [1_048_576, 1_024],
    [1_048_577, 2_048],
    [10_485_760, 16_384],
    [2_147_483_648, 2_097_152],
  ])('chooses for a file of %d bytes blocks of %d bytes', (size, block) => {
    expect(chooseBlockSize(size)).toBe(block);
    expect(Math.ceil(size / block)).toBeLessThanOrEqual(1_024);
  });
});

describe('isPackPath', () => {
  it.each(['README.txt', 'reports/0a1b', 'evidence-pulls/7/EVIDENCE.md', 'a/..b/c'])('accepts %s', (path) => {
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
  ])('rejects %j', (path) => {
    expect(isPackPath(path)).toBe(false);
  });
});

describe('readManifest', () => {
  it('reads a manifest as it was written', () => {
    expect(readManifest(packJson(MANIFEST))).toEqual(MANIFEST);
  });

  it.each<[string, unknown]>([
    ['another schema', { ...MANIFEST, schema: 'shipgate.audit-pack.v2' }],
    ['a path that leaves the pack', { ...MANIFEST, files: [{ ...FILE, path: '../a' }] }],
    ['two entries of one file', { ...MANIFEST, files: [FILE, FILE] }],
    ['an entry of the manifest itself', { ...MANIFEST, files: [{ ...FILE, path: 'manifest.json' }] }],
    ['a negative size', { ...MANIFEST, files: [{ ...FILE, size: -1 }] }],
    ['a block too many', { ...MANIFEST, files: [{ ...FILE, blocks: 'A'.repeat(32) }] }],
    ['an invalid digest', { ...MANIFEST, files: [{ ...FILE, sha256: 'A'.repeat(64) }] }],
    ['an invalid creation time', { ...MANIFEST, madeAt: '2026-13-04T10:00:00.000Z' }],
    ['no release', { ...MANIFEST, release: null }],
    ['files that are no list', { ...MANIFEST, files: {} }],
    ['null instead of an object', null],
    ['a text instead of an object', 'manifest'],
  ])('rejects a manifest with %s', (_, value) => {
    expect(readManifest(packJson(value as PackManifest))).toBeNull();
  });

  it.each([
    ['trailing white space', `${packJson(MANIFEST)} `],
    ['another layout', JSON.stringify(MANIFEST)],
    ['invalid JSON', '{'],
  ])('rejects a text with %s', (_, text) => {
    expect(readManifest(text)).toBeNull();
  });
});

describe('readSignature', () => {
  it('reads a signature only in the exact form in which it was written', () => {
    expect(readSignature(packJson(SIGNATURE))).toEqual(SIGNATURE);
    for (const text of [JSON.stringify(SIGNATURE), '', 'null', packJson({ ...SIGNATURE, more: 1 } as never)]) {
      expect(readSignature(text)).toBeNull();
    }
    expect(readSignature(packJson({ ...SIGNATURE, algorithm: 'none' } as never))).toBeNull();
  });
});
