import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { fromBufferPromise, fromRandomAccessReaderPromise, RandomAccessReader } from 'yauzl';
import { directory, localHeader } from '../../domain/audit-pack/zip-records.js';

const CREATED_AT = new Date('2026-05-04T10:20:31.999Z');

/** A large file. Only its end exists in memory, and the rest is zeros. */
class FarFile extends RandomAccessReader {
  constructor(
    private readonly startsAt: number,
    private readonly end: Buffer,
  ) {
    super();
  }

  override _readStreamForRange(start: number, end: number): Readable {
    const before = Buffer.alloc(Math.max(0, Math.min(end, this.startsAt) - start));
    return Readable.from([before, this.end.subarray(Math.max(0, start - this.startsAt), end - this.startsAt)]);
  }
}

async function entriesOf(bytes: Buffer, startsAt = 0) {
  const options = { lazyEntries: true, autoClose: false, strictFileNames: true };
  const zip =
    startsAt === 0
      ? await fromBufferPromise(bytes, options)
      : await fromRandomAccessReaderPromise(new FarFile(startsAt, bytes), startsAt + bytes.length, options);
  const entries = [];
  for await (const entry of zip.eachEntry()) entries.push(entry);
  return entries;
}

describe('the records of a zip', () => {
  it('name the position, size and time of each file for a common reader', async () => {
    const content = Buffer.from('evidence');
    const entry = { path: 'reports/a.b-c_d', size: content.length, crc32: crc32(content) };
    const header = localHeader(entry, CREATED_AT);
    const records = directory([{ ...entry, offset: 0 }], header.length + content.length, CREATED_AT);
    const [found] = await entriesOf(Buffer.concat([header, content, ...records]));
    expect(found).toMatchObject({
      fileName: entry.path,
      crc32: entry.crc32,
      compressedSize: 8,
      uncompressedSize: 8,
      compressionMethod: 0,
      generalPurposeBitFlag: 0,
      externalFileAttributes: 0o100644 * 65_536,
      relativeOffsetOfLocalHeader: 0,
    });
    expect(found?.getLastModDate({ timezone: 'UTC' }).toISOString()).toBe('2026-05-04T10:20:30.000Z');
  });

  it('name files beyond the 4 GiB limit of a plain zip', async () => {
    const far = 2 ** 33 + 5;
    const entries = [
      { path: 'near', size: 1, crc32: 1, offset: 7 },
      { path: 'at-the-brink', size: 1, crc32: 2, offset: 2 ** 32 - 2 },
      { path: 'beyond', size: 1, crc32: 3, offset: 2 ** 32 - 1 },
      { path: 'far', size: 1, crc32: 4, offset: far - 40 },
    ];
    const found = await entriesOf(Buffer.concat(directory(entries, far, CREATED_AT)), far);
    expect(found.map(({ fileName, relativeOffsetOfLocalHeader }) => [fileName, relativeOffsetOfLocalHeader])).toEqual(
      entries.map(({ path, offset }) => [path, offset]),
    );
  });

  it('name more files than a plain zip can count', async () => {
    const entries = Array.from({ length: 65_536 }, (_, at) => ({ path: `f${at}`, size: 0, crc32: 0, offset: 0 }));
    const found = await entriesOf(Buffer.concat(directory(entries, 0, CREATED_AT)));
    expect([found.length, found.at(-1)?.fileName]).toEqual([65_536, 'f65535']);
  });

  it('reject a file that is too large', () => {
    expect(() => localHeader({ path: 'huge', size: 2 ** 32 - 1, crc32: 0 }, CREATED_AT)).toThrow('huge is too large');
  });
});
