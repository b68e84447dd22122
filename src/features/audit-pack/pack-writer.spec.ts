import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { givenSigner } from '../../../test/support/given-pack.js';
import { readZip } from '../../../test/support/read-zip.js';
import { readManifest } from '../../domain/audit-pack/pack-manifest.js';
import { isSignedBy } from '../../crypto/public-key.js';
import { blockCrc32, blockDigest, ContentDigests } from '../../crypto/content-digests.js';
import { type PackSource, writePack } from './pack-writer.js';

const TITLE = {
  service: '0.1.0',
  release: { milestoneId: 'm', org: 'acme', repo: 'payments', version: 'v1.0.0' },
  createdAt: new Date('2026-05-04T10:00:00Z'),
};
const signer = givenSigner();
/** Larger than the content that is held in memory. */
const LARGE = randomBytes(9_000_000);

const source = (path: string, bytes: Buffer, changes: Partial<PackSource> = {}): PackSource => ({
  path,
  size: bytes.length,
  sha256: null,
  async *read() {
    for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
  },
  ...changes,
});

async function pack(...sources: readonly PackSource[]): Promise<Buffer> {
  async function* each() {
    yield* sources;
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of writePack(each(), TITLE, async () => signer)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('a pack', () => {
  it('contains its files, small and large, and a signed list of them at its end', async () => {
    const files = new Map([
      ['a.json', Buffer.from('{}\n')],
      ['empty', Buffer.alloc(0)],
      ['reports/large', LARGE],
    ]);
    const opened = await readZip(await pack(...[...files].map(([path, bytes]) => source(path, bytes))));
    for (const [path, bytes] of files) expect(opened.get(path)?.equals(bytes)).toBe(true);
    const manifest = opened.get('manifest.json') ?? Buffer.alloc(0);
    expect(readManifest(manifest.toString())?.files.map(({ path, size, sha256 }) => [path, size, sha256])).toEqual(
      [...files].map(([path, bytes]) => [path, bytes.length, createHash('sha256').update(bytes).digest('hex')]),
    );
    const { signature } = JSON.parse(opened.get('signature.json')?.toString() ?? '') as { signature: string };
    expect(isSignedBy(signer.x, manifest, signature)).toBe(true);
  });

  it.each<[string, PackSource, string]>([
    ['is not the expected one', source('a', Buffer.from('a'), { sha256: 'b'.repeat(64) }), 'does not match its digest'],
    ['is shorter than its stated size', source('a', Buffer.from('a'), { size: 2 }), 'shorter than'],
    ['is longer than its stated size', source('a', Buffer.from('abc'), { size: 2 }), 'longer than'],
    ['cannot be read', source('a', Buffer.from('a'), { read: () => Promise.reject(new Error('gone')) }), 'gone'],
    ['has a path outside of the pack', source('../a', Buffer.from('a')), 'The path ../a is not valid'],
    ['has the path of the manifest', source('manifest.json', Buffer.from('a')), 'The path manifest.json is not valid'],
  ])('is not written if a content %s', async (_, wrong, why) => {
    await expect(pack(source('before', Buffer.from('b')), wrong)).rejects.toThrow(why);
  });

  it('is not written if two contents have the same path', async () => {
    await expect(pack(source('a', Buffer.from('1')), source('a', Buffer.from('2')))).rejects.toThrow(
      'The path a is not valid',
    );
  });

  it('ends with an error if a large content differs when it is read again', async () => {
    let reads = 0;
    const changing = source('large', LARGE, {
      async *read() {
        reads += 1;
        yield reads === 1 ? LARGE : Buffer.concat([LARGE.subarray(1), LARGE.subarray(0, 1)]);
      },
    });
    await expect(pack(changing)).rejects.toThrow('large changed while it was read');
  });
});

describe('the digests of a content', () => {
  it.each([0, 1, 1_023, 1_024, 1_025, 5_000, 3_000_000])(
    'of %d bytes do not depend on the size of the parts',
    (size) => {
      const content = LARGE.subarray(0, size);
      const digests = [1_000_000, 4_096, 777].map((part) => {
        const taken = new ContentDigests(size);
        for (let at = 0; at < size; at += part) taken.update(content.subarray(at, Math.min(at + part, size)));
        return taken.finish();
      });
      expect(digests[1]).toEqual(digests[0]);
      expect(digests[2]).toEqual(digests[0]);
      expect(digests[0]).toMatchObject({ size, crc32: crc32(content).toString(16).padStart(8, '0') });
    },
  );

  it('contain the checksum of each block', () => {
    const block = LARGE.subarray(0, 1_024);
    expect(blockDigest(block)).toHaveLength(16);
    expect(blockCrc32(blockDigest(block))).toBe(crc32(block));
  });
});
