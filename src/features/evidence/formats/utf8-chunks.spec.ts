import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { isUtf8Text, utf8Chunks } from './utf8-chunks.js';

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
