import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { directory, localHeader, type ZipEntry } from '../../domain/audit-pack/zip-records.js';
import { PackFile } from './pack-file.js';
import { type ManifestLocation, locateManifest } from './pack-signature.js';

const CREATED_AT = new Date('2026-05-04T10:00:00Z');
const MANIFEST = Buffer.from('the manifest');
const SIGNATURE = Buffer.from('and its signature');

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'shipgate-places-'))));
afterAll(() => rmSync(folder, { recursive: true }));

async function placesIn(...parts: readonly Uint8Array[]): Promise<readonly ManifestLocation[]> {
  const path = join(folder, 'pack.zip');
  writeFileSync(path, Buffer.concat(parts));
  return PackFile.with(path, async (file) => {
    const found: ManifestLocation[] = [];
    for await (const places of locateManifest(file)) found.push(places);
    return found;
  });
}

/** The end of a pack, with a directory of this many more files. */
function sealed(others: number): {
  readonly seal: readonly Uint8Array[];
  readonly records: readonly Uint8Array[];
  readonly places: ManifestLocation;
} {
  const seal: Uint8Array[] = [];
  const entries: ZipEntry[] = Array.from({ length: others }, (_, at) => ({
    path: `f${at}`,
    size: 0,
    crc32: 0,
    offset: 0,
  }));
  let offset = 0;
  for (const [path, content] of [
    ['manifest.json', MANIFEST],
    ['signature.json', SIGNATURE],
  ] as const) {
    const entry = { path, size: content.length, crc32: content.length };
    const header = localHeader(entry, CREATED_AT);
    entries.push({ ...entry, offset });
    seal.push(header, content);
    offset += header.length + content.length;
  }
  const places = {
    manifest: { offset: 43, size: MANIFEST.length, crc32: MANIFEST.length },
    signature: { offset: 43 + MANIFEST.length + 44, size: SIGNATURE.length, crc32: SIGNATURE.length },
  };
  return { seal, records: directory(entries, offset, CREATED_AT), places };
}

describe('the manifest of a pack and its signature', () => {
  it('are found from either end', async () => {
    const { seal, records, places } = sealed(0);
    expect(await placesIn(...seal, ...records)).toEqual([places, places]);
  });

  it('are found from the end if the bytes before them grew, and from the start if bytes follow', async () => {
    const { seal, records, places } = sealed(0);
    const moved = ({ manifest, signature }: ManifestLocation, by: number): ManifestLocation => ({
      manifest: { ...manifest, offset: manifest.offset + by },
      signature: { ...signature, offset: signature.offset + by },
    });
    expect(await placesIn(Buffer.from('xyz'), ...seal, ...records)).toEqual([moved(places, 3)]);
    expect(await placesIn(...seal, ...records, Buffer.from('xyz'))).toEqual([places]);
    expect(await placesIn(...seal)).toEqual([places]);
  });

  it('are found if there are more files than a plain zip can count', async () => {
    const { seal, records, places } = sealed(65_536);
    expect((await placesIn(...seal, ...records))[0]).toEqual(places);
  });

  it.each<[string, readonly number[]]>([
    ['nothing', []],
    [
      'a directory that would begin before the file',
      [0x50, 0x4b, 5, 6, 0, 0, 0, 0, 0, 0, 2, 0, 99, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ],
    [
      'a larger directory that would begin before the file',
      [0x50, 0x4b, 5, 6, ...Array.from({ length: 18 }, () => 0xff)],
    ],
  ])('are found nowhere in %s', async (_, bytes) => {
    expect(await placesIn(Uint8Array.from(bytes))).toEqual([]);
  });
});
