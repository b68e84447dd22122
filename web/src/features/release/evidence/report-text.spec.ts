import { describe, expect, it } from '@jest/globals';
import {
  decodeText,
  findMatches,
  markMatches,
  MAX_TEXT_BYTES,
  readReportText,
  ROW_LENGTH,
  toRows,
} from './report-text.js';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('readReportText', () => {
  it('reads a whole report', async () => {
    const stream = new Blob(['a\nb\r\nc\n']).stream();
    await expect(readReportText(stream)).resolves.toEqual({ lines: ['a', 'b', 'c'], isCut: false });
  });

  it('reads an empty report', async () => {
    await expect(readReportText(null)).resolves.toEqual({ lines: [], isCut: false });
  });

  it('reads a report of exactly the shown size', async () => {
    const { lines, isCut } = await readReportText(new Blob(['x'.repeat(MAX_TEXT_BYTES)]).stream());
    expect([lines[0]?.length, isCut]).toEqual([MAX_TEXT_BYTES, false]);
  });

  it('ends the download of a longer report', async () => {
    let pulled = 0;
    let isCancelled = false;
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pulled += 1;
        controller.enqueue(new Uint8Array(300_000).fill(120));
      },
      cancel: () => {
        isCancelled = true;
      },
    });
    const { lines, isCut } = await readReportText(stream);
    expect(lines.join('')).toHaveLength(MAX_TEXT_BYTES);
    expect([isCut, isCancelled]).toEqual([true, true]);
    expect(pulled).toBeLessThanOrEqual(6);
  });
});

describe('decodeText', () => {
  it('decodes UTF-16 with a byte order mark', () => {
    const bytes = Uint8Array.from([0xff, 0xfe, 0x41, 0, 0x0a, 0, 0x42, 0]);
    expect(decodeText([bytes], false).lines).toEqual(['A', 'B']);
  });

  it('joins a character that two chunks divide, and drops one that is cut off', () => {
    const [first, ...rest] = utf8('é');
    expect(decodeText([Uint8Array.of(first ?? 0), Uint8Array.from(rest)], false).lines).toEqual(['é']);
    expect(decodeText([utf8('aé').subarray(0, 2)], true).lines).toEqual(['a']);
  });
});

it('continues long lines in the next row', () => {
  expect(toRows(['a', '', 'x'.repeat(ROW_LENGTH + 1)])).toEqual([
    { at: 0, line: 1, text: 'a' },
    { at: 1, line: 2, text: '' },
    { at: 2, line: 3, text: 'x'.repeat(ROW_LENGTH) },
    { at: 3, line: null, text: 'x' },
  ]);
});

it('finds matches in rows, also across the end of a row', () => {
  const lines = ['One one', `${'x'.repeat(ROW_LENGTH - 1)}one`, 'two', 'ONE'];
  expect(findMatches(lines, 'one')).toEqual([0, 0, 1, 4]);
  expect(findMatches(lines, '')).toEqual([]);
});

it.each([
  ['a.b A.B', 'a.b', ['', 'a.b', ' ', 'A.B', '']],
  ['axb', 'a.b', ['axb']],
  ['(1) [2]', '(1)', ['', '(1)', ' [2]']],
  ['text', '', ['text']],
])('marks in "%s" the matches of "%s"', (text, search, parts) => {
  expect(markMatches(text, search)).toEqual(parts);
});
