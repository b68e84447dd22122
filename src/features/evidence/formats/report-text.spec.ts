import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { excerpt } from './bounded-list.js';
import { ReportText, isUtf8Text, utf8Chunks } from './report-text.js';

const TEXT = '<testsuite name="Kärren 🚀">\n</testsuite>';
const utf8 = Buffer.from(TEXT, 'utf8');
const utf16le = Buffer.from(TEXT, 'utf16le');
const utf16be = Buffer.from(utf16le).swap16();

const decode = (...parts: readonly (Uint8Array | readonly number[])[]): string =>
  ReportText.decode('report.xml', Buffer.concat(parts.map((part) => Buffer.from(part)))).text;

describe('the text of a report', () => {
  it.each([
    ['UTF-8', [utf8]],
    ['UTF-8 with a byte order mark', [[0xef, 0xbb, 0xbf], utf8]],
    ['UTF-16, little-endian', [[0xff, 0xfe], utf16le]],
    ['UTF-16, big-endian', [[0xfe, 0xff], utf16be]],
  ])('is read from %s', (_name, parts) => {
    expect(decode(...parts)).toBe(TEXT);
  });

  it.each([
    ['Latin-1', [[0x61, 0x0a, 0xe9, 0x62]], 'report.xml:2: the byte at offset 2 is not valid UTF-8'],
    [
      'Latin-1 that is declared',
      [Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?>\n<testsuite name="Pr\u00fcfung"/>', 'latin1')],
      'report.xml:1: declares the encoding ISO-8859-1, but only UTF-8 and UTF-16 with a byte order mark can be read. Let the tool write UTF-8, or convert',
    ],
    [
      'Latin-1 that is declared as UTF-8',
      [Buffer.from("<?xml version='1.0' encoding='utf-8'?>\n<a>\u00fc</a>", 'latin1')],
      'report.xml:2: the byte at offset 42 is not valid UTF-8',
    ],
    ['a byte after a mark', [[0xef, 0xbb, 0xbf, 0x61, 0xff]], 'report.xml:1: the byte at offset 4 is not valid UTF-8'],
    ['a sequence cut short', [utf8, [0xf0, 0x9f]], /report\.xml:2: the byte at offset \d+ is not valid UTF-8/],
    ['an overlong slash', [[0x2f, 0xc0, 0xaf]], 'report.xml:1: the byte at offset 1 is not valid UTF-8'],
    ['a surrogate in UTF-8', [[0xed, 0xa0, 0x80]], 'report.xml:1: the byte at offset 0 is not valid UTF-8'],
    [
      'half a character of UTF-16',
      [[0xff, 0xfe], utf16le, [0x61]],
      'report.xml:2:13: the content is not valid UTF-16LE',
    ],
    [
      'a lone surrogate in UTF-16',
      [[0xfe, 0xff, 0xd8, 0x3d, 0x00, 0x61]],
      'report.xml:1:1: the content is not valid UTF-16BE',
    ],
    ['NUL', [[0x61, 0x0a, 0x62, 0x00]], 'report.xml:2:2: a NUL character'],
    ['UTF-16 without a mark', [Buffer.from('<a/>', 'utf16le')], 'report.xml:1:2: a NUL character'],
  ])('is rejected if it is %s', (_name, parts, message) => {
    expect(() => decode(...parts)).toThrow(message);
  });

  it('counts lines by LF, CR LF and CR', () => {
    const text = ReportText.decode('a', new TextEncoder().encode('1\n2\r\n3\r4x'));
    expect(text.errorAt(text.text.indexOf('x'), 'here').message).toBe('a:4:2: here');
  });
});

describe('an excerpt', () => {
  it.each([
    ['short', 5, 'short'],
    ['longer', 5, 'long…'],
    ['  trimmed\n', 20, 'trimmed'],
    ['a\u0000b\u001b[31mc\td', 20, 'a\uFFFDb\uFFFD[31mc\td'],
    ['a\ud800b', 20, 'a\uFFFDb'],
    ['🚀🚀', 3, '🚀…'],
  ])('of %j within %i is %j', (text, length, expected) => {
    expect(excerpt(text, length)).toBe(expected);
  });
});

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
/** The bytes in blocks of these sizes, and the rest. */
function cut(bytes: Uint8Array, sizes: readonly number[]): readonly Uint8Array[] {
  const blocks: Uint8Array[] = [];
  let at = 0;
  for (const size of sizes) {
    blocks.push(bytes.slice(at, at + size));
    at += size;
  }
  return [...blocks, bytes.slice(at)];
}
const sizes = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 20 });

describe('chunks of text', () => {
  it('are the text, regardless of the cuts between its bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), sizes, (text, lengths) => {
        expect([...utf8Chunks(cut(bytesOf(`x${text}`), lengths))].join('')).toBe(`x${text}`);
      }),
    );
  });

  it('do not split a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), sizes, (text, lengths) => {
        const stretches = [...utf8Chunks(cut(bytesOf(`x${text}`), lengths))];
        for (const stretch of stretches) expect(stretch).not.toMatch(/\p{Surrogate}/u);
      }),
    );
  });

  it.each([
    ['at its beginning only', ['\ufeff<a/>'], '<a/>'],
    ['as a character elsewhere', ['\ufeff<a>', '\ufeff</a>'], '<a>\ufeff</a>'],
    ['cut in two', ['\ufeff<a/>'], '<a/>'],
  ])('have the byte order mark %s', (what, texts, expected) => {
    const blocks = what === 'cut in two' ? cut(bytesOf(texts.join('')), [1, 1]) : texts.map(bytesOf);
    expect([...utf8Chunks(blocks)].join('')).toBe(expected);
  });

  it('are short, also for a large block', () => {
    const text = 'kauft 買い物 '.repeat(20_000);
    const stretches = [...utf8Chunks([bytesOf(text)])];
    expect(stretches.join('')).toBe(text);
    expect(Math.max(...stretches.map(({ length }) => length))).toBeLessThan(66_000);
  });

  it('are an empty list for no content', () => {
    expect([...utf8Chunks([])]).toEqual([]);
    expect(isUtf8Text([])).toBe(true);
  });
});

describe('bytes', () => {
  it('are valid text exactly if a strict decoder accepts them, and contain no NUL', () => {
    const strict = new TextDecoder('utf-8', { fatal: true });
    const isText = (bytes: Uint8Array): boolean => {
      try {
        return !strict.decode(bytes).includes('\0');
      } catch {
        return false;
      }
    };
    const some = fc.oneof(
      fc.uint8Array({ maxLength: 12 }),
      fc
        .tuple(fc.string({ unit: 'binary', maxLength: 10 }), fc.uint8Array({ maxLength: 2 }))
        .map(([text, end]) => Buffer.concat([bytesOf(text), end])),
    );
    fc.assert(
      fc.property(some, sizes, (bytes, lengths) => {
        expect(isUtf8Text(cut(bytes, lengths))).toBe(isText(bytes));
      }),
      { numRuns: 2_000 },
    );
  });
});
