import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { type FormPart, MultipartParser } from './multipart-form.js';

const LIMITS = { parts: 10, partBytes: 1_000 };
const FILE = 'Content-Disposition: form-data; name="file"; filename="junit.xml"';

/** Builds the form of these parts. Each part has a header and content. */
function formOf(parts: readonly (readonly [header: string, content: Uint8Array | string])[]): Buffer {
  const delimited = parts.flatMap(([header, content]) => [
    Buffer.from(`--b\r\n${header}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...delimited, Buffer.from('--b--\r\n')]);
}

/** Parses the form in chunks of this size. */
async function read(form: Buffer, size = form.length, limits = LIMITS): Promise<readonly FormPart[]> {
  const parser = new MultipartParser('b', limits);
  for (let at = 0; at < form.length; at += size) parser.write(form.subarray(at, at + size));
  return parser.finish();
}

const summaryOf = (parts: readonly FormPart[]) =>
  parts.map(({ name, filename, blocks }) => [name, filename, Buffer.concat(blocks).toString('latin1')]);

describe('a multipart form', () => {
  const form = formOf([
    ['Content-Disposition: form-data; name="repo"', 'acme/payments'],
    [`${FILE}\r\nContent-Type: application/xml`, '<testsuite/>\r\n--not the boundary\r\n--'],
    ['content-disposition: Form-Data ; name=empty', ''],
  ]);
  const parts = [
    ['repo', null, 'acme/payments'],
    ['file', 'junit.xml', '<testsuite/>\r\n--not the boundary\r\n--'],
    ['empty', null, ''],
  ];

  it.each(Array.from({ length: 40 }, (_, at) => at + 1))(
    'returns the same parts for chunks of %i bytes',
    async (size) => {
      expect(summaryOf(await read(form, size))).toEqual(parts);
    },
  );

  it('retains any bytes of its parts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 5 }),
        fc.integer({ min: 1, max: 300 }),
        async (contents, size) => {
          const contentsWithoutBoundary = contents.filter((content) => !Buffer.from(content).includes('\r\n--b'));
          const parts = await read(formOf(contentsWithoutBoundary.map((content) => [FILE, content] as const)), size);
          expect(parts.map(({ blocks }) => Buffer.concat(blocks))).toEqual(
            contentsWithoutBoundary.map((content) => Buffer.from(content)),
          );
        },
      ),
    );
  });

  it('returns bytes with separate memory', async () => {
    const [part] = await read(formOf([[FILE, 'x'.repeat(100)]]), 7);
    expect(part?.blocks.map(({ buffer }) => buffer.byteLength)).toEqual([100]);
  });

  it.each([
    ['has a name in UTF-8', 'Content-Disposition: form-data; name="file"; filename="März.xml"', 'März.xml'],
    [
      'has a quote in its name',
      String.raw`Content-Disposition: form-data; name="file"; filename="a\"b\\c.xml"`,
      'a"b\\c.xml',
    ],
    [
      'has a Windows path',
      String.raw`Content-Disposition: form-data; name="file"; filename="C:\out\a.xml"`,
      'C:\\out\\a.xml',
    ],
    ['has a semicolon in its name', 'Content-Disposition: form-data; name="file"; filename="a;b.xml"', 'a;b.xml'],
    ['has no quotes', 'Content-Disposition: form-data; name=file; filename=a.xml', 'a.xml'],
    ['has a transfer encoding', `${FILE}\r\nContent-Transfer-Encoding: 8bit`, 'junit.xml'],
  ])('accepts a part that %s', async (_, header, filename) => {
    expect((await read(formOf([[header, '']])))[0]).toMatchObject({ name: 'file', filename });
  });

  it.each([
    ['has no disposition', 'Content-Type: text/plain'],
    ['has two dispositions', `${FILE}\r\n${FILE}`],
    ['is an attachment', 'Content-Disposition: attachment; name="file"'],
    ['has no name', 'Content-Disposition: form-data; filename="a.xml"'],
    ['has two names', 'Content-Disposition: form-data; name="repo"; name="org"'],
    ['has a quote without an end', 'Content-Disposition: form-data; name="repo'],
    ['has text after its name', 'Content-Disposition: form-data; name="repo" x'],
    [
      'has a name that is not UTF-8',
      Buffer.from('Content-Disposition: form-data; name="\u00ff"', 'latin1').toString('latin1'),
    ],
    ['is encoded', `${FILE}\r\nContent-Transfer-Encoding: base64`],
  ])('rejects a form if a part %s', async (_, header) => {
    const form = Buffer.from(formOf([[header, 'x']]).toString('utf8'), 'latin1');
    await expect(read(form)).rejects.toMatchObject({ code: 'invalid' });
  });

  it.each([
    ['before its first boundary', 'nothing'],
    ['within the header of a part', '--b\r\nContent-Disposition: form-data; na'],
    ['within a part', `--b\r\n${FILE}\r\n\r\n<testsuite/>`],
    ['before its last boundary is whole', `--b\r\n${FILE}\r\n\r\n<testsuite/>\r\n--b`],
    ['in the header of a part that another follows', `--b\r\nContent-Type: a\r\n--b\r\n${FILE}\r\n\r\nx\r\n--b--\r\n`],
  ])('rejects a form that ends %s', async (_, text) => {
    await expect(read(Buffer.from(text))).rejects.toMatchObject({ code: 'invalid' });
  });

  it('rejects a form as soon as it exceeds a limit', async () => {
    const parser = new MultipartParser('b', { ...LIMITS, partBytes: 10 });
    const take = async (): Promise<void> => {
      for (let at = 0; at < 10; at += 1) {
        parser.write(Buffer.from(at === 0 ? `--b\r\n${FILE}\r\n\r\n` : 'xxx'));
        await setImmediate();
      }
    };
    await expect(take()).rejects.toThrow('junit.xml is larger than 10 bytes.');
    const many = formOf(Array.from({ length: 11 }, () => [FILE, ''] as const));
    await expect(read(many)).rejects.toMatchObject({ code: 'too_large' });
    expect(await read(formOf(Array.from({ length: 10 }, () => [FILE, ''] as const)))).toHaveLength(10);
  });
});
