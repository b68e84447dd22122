import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { toSourcePositions } from './error-description.js';

describe('a stack in the log', () => {
  let folder = '';
  let file = '';

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'shipgate-positions-'));
    file = pathToFileURL(join(folder, 'run.js')).href;
    // The mapping says: line 1, column 1 of the built file is line 11, column 3 of the source.
    const map = { version: 3, file: 'run.js', sources: ['../src/run.ts'], names: [], mappings: 'AAUE' };
    writeFileSync(join(folder, 'run.js.map'), JSON.stringify(map));
    writeFileSync(join(folder, 'damaged.js.map'), '{');
    writeFileSync(join(folder, 'wrong.js.map'), JSON.stringify({ ...map, sources: ['http://'] }));
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  const source = (): string => new URL('../src/run.ts', file).href;
  const toPositions = (stack: string): string => toSourcePositions(stack, new URL('./', file).href);

  it('names the TypeScript source of each call', () => {
    const stack = `Error: no\n    at run (${file}:1:1)\n    at async ${file}:1:5`;
    expect(toPositions(stack)).toBe(`Error: no\n    at run (${source()}:11:3)\n    at async ${source()}:11:3`);
  });

  it.each(['missing.js', 'damaged.js', 'wrong.js'])(
    'names the built file if its map cannot be read or is wrong: %s',
    (name) => {
      const stack = `Error: no\n    at run (${new URL(name, file).href}:1:1)`;
      expect(toPositions(stack)).toBe(stack);
    },
  );

  it('reads no map outside of the built files, which a message may name', () => {
    const [outside, escaping] = [`${file}:1:1`, `${file.replace('run.js', 'part/../../run.js')}:1:1`];
    expect(toSourcePositions(outside, new URL('./part', file).href)).toBe(outside);
    expect(toPositions(escaping)).toBe(escaping);
    expect(toPositions('file://host/run.js:1:1')).toBe('file://host/run.js:1:1');
  });

  it('takes linear time', () => {
    const long = 'file://'.repeat(200_000);
    expect(toPositions(long)).toBe(long);
  });
});
