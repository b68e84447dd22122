import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describeError } from './error-description.js';
import { toSourcePositions } from './source-positions.js';

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
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  const source = (): string => new URL('../src/run.ts', file).href;

  it('names the TypeScript source of each call', () => {
    const stack = `Error: no\n    at run (${file}:1:1)\n    at async ${file}:1:5`;
    expect(toSourcePositions(stack)).toBe(`Error: no\n    at run (${source()}:11:3)\n    at async ${source()}:11:3`);
  });

  it.each(['missing.js', 'damaged.js'])('names the built file if its map cannot be read: %s', (name) => {
    const stack = `Error: no\n    at run (${new URL(name, file).href}:1:1)`;
    expect(toSourcePositions(stack)).toBe(stack);
  });

  it('is part of the description of an error', () => {
    const error = new Error('no');
    error.stack = `Error: no\n    at run (${file}:1:1)`;
    expect(describeError(error).stack).toContain(source());
  });
});
