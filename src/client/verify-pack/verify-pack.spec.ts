import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ZipFile } from 'yazl';
import { givenPackFiles, givenSigner, keySetOfSigner, packOf } from '../../../test/support/given-pack.js';
import { readZip } from '../../../test/support/read-zip.js';
import { readTrustedKeys, verifyPack } from './verify-pack.js';

const signer = givenSigner();
const trusted = readTrustedKeys(JSON.stringify(keySetOfSigner(signer)));
/** Large enough for several blocks, and of more than one kind of byte. */
const REPORT = Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * 7) % 251));

let folder: string;
let files: Map<string, Buffer>;
let pack: Buffer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'shipgate-pack-'));
  files = givenPackFiles(signer, [REPORT, Buffer.from('<testsuite/>')]);
  pack = await packOf(signer, files);
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Verified {
  readonly isIntact: boolean;
  readonly said: string;
}

async function verify(bytes: Uint8Array, keys = trusted): Promise<Verified> {
  const path = join(folder, 'pack.zip');
  writeFileSync(path, bytes);
  const lines: string[] = [];
  const isIntact = (await verifyPack(path, keys, (line) => lines.push(line))) === 'intact';
  return { isIntact, said: lines.join('\n') };
}

/** Returns the offset of the first changed byte in the output. */
const named = ({ said: gateAnswer }: Verified): number | null => {
  const [, offset] = /changed byte is at offset (\d+)/.exec(gateAnswer) ?? [];
  return offset === undefined ? null : Number(offset);
};

function flipped(offset: number, by = 0x01): Buffer {
  const bytes = Buffer.from(pack);
  bytes[offset]! ^= by;
  return bytes;
}

const hex = (byte: number): string => `0x${byte.toString(16).padStart(2, '0')}`;
const endOf = (path: string): number => pack.indexOf(path) + path.length;

describe('a pack as it was created', () => {
  it('is intact, and its origin and content are named', async () => {
    const { isIntact, said: gateAnswer } = await verify(pack);
    expect([isIntact, gateAnswer]).toEqual([true, expect.any(String)]);
    for (const part of [
      'v1.0.0 of acme/payments, created at 2026-05-04T10:00:02.500Z by Shipgate 0.1.0',
      `valid, by the key ${signer.keyId}, which is among the given keys`,
      `all ${pack.length} are the signed ones, in 10 files`,
      '1 of 1 follow from their inputs',
      '1 of 1 deployments that shipped it had an open gate',
      '2 reports are in the pack, 1 documents of pull requests have a valid signature',
      '1 of 1 entries match their hashes',
    ]) {
      expect(gateAnswer).toContain(part);
    }
  });

  it('has an unknown origin if no keys are given', async () => {
    const { isIntact, said: gateAnswer } = await verify(pack, null);
    expect([isIntact, gateAnswer]).toEqual([true, expect.stringContaining('THE SIGNER WAS NOT VERIFIED')]);
  });

  it('has the same bytes each time, and can be opened by common tools', async () => {
    expect((await packOf(signer, files)).equals(pack)).toBe(true);
    const opened = await readZip(pack);
    expect([...opened.keys()]).toEqual([...files.keys(), 'manifest.json', 'signature.json']);
  });
});

describe('a pack with one changed byte', () => {
  it('is reported with this byte, its file and its former value, in any position', async () => {
    const step = Math.ceil(pack.length / 160);
    for (let offset = 3; offset < pack.length; offset += step) {
      const by = (offset % 255) + 1;
      const verified = await verify(flipped(offset, by));
      expect([offset, verified.isIntact, named(verified)]).toEqual([offset, false, offset]);
      const [is, was] = [pack[offset]! ^ by, pack[offset]!];
      expect(verified.said).toContain(`It is ${hex(is)} and was ${hex(was)}.`);
    }
  });

  it('names it in each part of the records around the files, in the manifest and in its signature', async () => {
    const end = pack.length - 22;
    const directoryAt = pack.readUInt32LE(end + 16);
    const manifestAt = pack.indexOf('manifest.json') - 30;
    const signatureAt = pack.lastIndexOf('PK\u0003\u0004', directoryAt, 'latin1');
    const places = [
      ...Array.from({ length: 40 }, (_, at) => at),
      ...Array.from({ length: 43 }, (_, at) => manifestAt + at),
      ...Array.from({ length: directoryAt - signatureAt }, (_, at) => signatureAt + at).filter(
        (_, at) => at < 60 || at % 7 === 0,
      ),
      ...Array.from({ length: 58 }, (_, at) => directoryAt + at),
      ...Array.from({ length: 22 + 60 + 59 }, (_, at) => pack.length - 1 - at),
    ];
    for (const offset of places) {
      const verified = await verify(flipped(offset, 0x80));
      expect([offset, verified.isIntact, named(verified)]).toEqual([offset, false, offset]);
    }
  });

  it('is reported with its file and its position', async () => {
    const at = pack.indexOf(REPORT.subarray(0, 100));
    const [, digest] = /reports\/([0-9a-f]{64})/.exec(pack.toString('latin1')) ?? [];
    expect((await verify(flipped(at + 4_321))).said).toContain(`byte 4321 of reports/${digest}`);
  });
});

describe('a pack with several changes', () => {
  it('is reported with the block of the first change if several bytes changed', async () => {
    const at = pack.indexOf(REPORT.subarray(0, 100));
    const bytes = flipped(at + 2_100);
    for (const more of [2_101, 2_900, 4_000]) bytes[at + more]! ^= 0x55;
    const { isIntact, said: gateAnswer } = await verify(bytes);
    expect(isIntact).toBe(false);
    expect(gateAnswer).toContain(`at one of the offsets ${at + 2_048} to ${at + 3_071}, from byte 2048 of reports/`);
  });

  it.each<[string, (report: Buffer) => Buffer, number]>([
    ['two bytes of a block', (b) => b.with(2_100, b[2_100]! ^ 1).with(3_000, b[3_000]! ^ 0x80) as Buffer, 2_100],
    ['four bytes in a row', (b) => Buffer.concat([b.subarray(0, 700), Buffer.from('PASS'), b.subarray(704)]), 700],
    [
      'a line was added',
      (b) => Buffer.concat([b.subarray(0, 999), Buffer.from('a whole line\n'), b.subarray(999)]),
      999,
    ],
    ['three bytes were removed', (b) => Buffer.concat([b.subarray(0, 3_500), b.subarray(3_503)]), 3_500],
    ['a word became a longer one', (b) => Buffer.concat([b.subarray(0, 5), Buffer.from('failed'), b.subarray(8)]), 5],
    ['the last byte was removed', (b) => b.subarray(0, -1), 4_999],
  ])('is reported with the first change and its former value: %s', async (_, change, inside) => {
    const at = pack.indexOf(REPORT.subarray(0, 100));
    const changed = Buffer.concat([pack.subarray(0, at), change(REPORT), pack.subarray(at + REPORT.length)]);
    const verified = await verify(changed);
    expect([verified.isIntact, named(verified)]).toEqual([false, at + inside]);
    expect(verified.said).toContain(`It is ${hex(changed[at + inside]!)} and was ${hex(REPORT[inside]!)}.`);
  });

  it.each(['manifest.json', 'signature.json'])('names the first of two or four in %s, too', async (path) => {
    const at = pack.indexOf(`${path}{`) + path.length;
    for (const others of [[90], [1, 2, 3]]) {
      const bytes = flipped(at + 50, 2);
      for (const other of others) bytes[at + 50 + other]! ^= 0x11;
      expect(named(await verify(bytes))).toBe(at + 50);
    }
  });

  it('is reported with the first of two, if the second is in another block, another file or the records', async () => {
    const at = pack.indexOf(REPORT.subarray(0, 100));
    for (const other of [at + 4_500, pack.indexOf('read me') + 5_400 + 2_000, pack.length - 5]) {
      const bytes = flipped(at + 17);
      bytes[other]! ^= 0xff;
      expect(named(await verify(bytes))).toBe(at + 17);
    }
  });

  it.each<[string, (bytes: Buffer) => Buffer, (bytes: Buffer) => number | null]>([
    ['was cut at its end', (b) => b.subarray(0, -1), (b) => b.length - 1],
    ['was cut in its directory', (b) => b.subarray(0, -200), (b) => b.length - 200],
    ['has a byte more', (b) => Buffer.concat([b, Buffer.from([0])]), (b) => b.length],
    ['has another zip behind it', (b) => Buffer.concat([b, b]), (b) => b.length],
    ['lost its first byte', (b) => b.subarray(1), () => 0],
    ['has a byte more at its start', (b) => Buffer.concat([Buffer.from('x'), b]), () => 0],
  ])('reports the first change of a pack that %s', async (_, change, expected) => {
    const verified = await verify(change(pack));
    expect([verified.isIntact, named(verified)]).toEqual([false, expected(pack)]);
  });

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['was cut before its manifest', (b) => b.subarray(0, b.indexOf('manifest.json'))],
    ['is empty', () => Buffer.alloc(0)],
    ['is only a signature', () => Buffer.from('PK\u0005\u0006')],
    ['is only an end record', () => Buffer.concat([Buffer.from('PK\u0005\u0006'), Buffer.alloc(18)])],
    [
      'is only the end record of a larger zip',
      () => Buffer.concat([Buffer.from('PK\u0005\u0006'), Buffer.alloc(18, 0xff)]),
    ],
    ['is no zip', () => Buffer.from('a text about evidence, and no more than that')],
    ['contains only zeroes', () => Buffer.alloc(100_000)],
    ['contains only end records', () => Buffer.alloc(100_000, 'PK\u0005\u0006', 'latin1')],
    ['contains only headers', () => Buffer.alloc(100_000, 'PK\u0003\u0004', 'latin1')],
  ])('reports no signed manifest for a file that %s', async (_, change) => {
    const { isIntact, said: gateAnswer } = await verify(change(pack));
    expect([isIntact, gateAnswer]).toEqual([
      false,
      'NOT INTACT: it has no signed manifest, so it is not an audit pack or only a part of one.',
    ]);
  });

  it('was written by another zip tool from the same files: the first different byte is named', async () => {
    const zip = new ZipFile();
    for (const [path, bytes] of files) zip.addBuffer(bytes, path, { compress: false });
    for (const path of ['manifest.json', 'signature.json']) zip.addBuffer(contentOf(path), path, { compress: false });
    zip.end();
    const chunks: Buffer[] = [];
    for await (const chunk of zip.outputStream) chunks.push(chunk as Buffer);
    const verified = await verify(Buffer.concat(chunks));
    expect(verified.isIntact).toBe(false);
    expect(named(verified)).toBeLessThan(30);
  });
});

/** Returns the content of a file of the pack, by its local header. */
function contentOf(path: string): Buffer {
  const at = pack.indexOf(path);
  return pack.subarray(endOf(path), endOf(path) + pack.readUInt32LE(at - 30 + 22));
}

describe('a pack that another key signed', () => {
  it('is rejected with the keys of the service, and has an unknown origin without keys', async () => {
    const mallory = givenSigner();
    const forged = await packOf(mallory, givenPackFiles(mallory));
    const withKeys = await verify(forged);
    expect([withKeys.isIntact, withKeys.said]).toEqual([false, expect.stringContaining(`NOT TRUSTED`)]);
    expect(await verify(forged, null)).toMatchObject({ isIntact: true, said: expect.stringContaining('NOT VERIFIED') });
  });

  it('is rejected if it names the key of the service and another key signed it', async () => {
    const mallory = givenSigner();
    const forged = await packOf({ ...mallory, keyId: signer.keyId, x: signer.x }, givenPackFiles(signer));
    expect(await verify(forged)).toMatchObject({
      isIntact: false,
      said: expect.stringContaining('its manifest is not the signed one. It is at the bytes'),
    });
  });

  it('is rejected if the key was retired before the pack was created, and only then', async () => {
    const retired = (at: string) => readTrustedKeys(JSON.stringify(keySetOfSigner(signer, at)));
    expect(await verify(pack, retired('2026-05-04T10:00:03.000Z'))).toMatchObject({ isIntact: true });
    expect(await verify(pack, retired('2026-05-04T10:00:02.000Z'))).toMatchObject({
      isIntact: false,
      said: expect.stringContaining('NOT VALID'),
    });
  });
});
