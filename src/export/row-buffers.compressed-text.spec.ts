import { describe, expect, it } from '@jest/globals';
import { collect } from '../../test/support/collect.js';
import { CompressedTextBuffer } from './row-buffers.js';

const read = async (spool: CompressedTextBuffer): Promise<readonly string[]> => collect(spool.drain());

describe('CompressedTextBuffer', () => {
  it('returns all added text in order', async () => {
    const spool = new CompressedTextBuffer();
    const lines = Array.from({ length: 20_000 }, (_, at) => `${at}: é🚀 ${'x'.repeat(at % 50)}\n`);
    for (const line of lines) await spool.add(line);
    const chunks = await read(spool);
    expect(chunks.length).toBeGreaterThan(2);
    expect(chunks.join('')).toBe(lines.join(''));
    // The text of one call of `add` is never split.
    for (const chunk of chunks) expect(chunk.endsWith('\n')).toBe(true);
  });

  it('returns no chunks for an empty text', async () => {
    const spool = new CompressedTextBuffer();
    await spool.add('');
    expect(await read(spool)).toEqual([]);
  });
});
