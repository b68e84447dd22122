import { describe, expect, it } from '@jest/globals';
import { WRONG_POLICIES } from '../../test/support/wrong-policies.js';
import type { PolicyProblem } from '../domain/policy/policy.js';
import { parsePolicyDocument } from './policy-document.js';

const problemsOf = (source: string | Uint8Array): readonly PolicyProblem[] => {
  const state = parsePolicyDocument(source, 'main');
  return state.status === 'invalid' ? state.problems : [];
};

const describeValue = ({ line, column, key, message }: PolicyProblem): string => `${line}:${column} ${key} ${message}`;

describe('the problems of a document', () => {
  it.each(WRONG_POLICIES)('%s', (_what, source, expected) => {
    expect(problemsOf(source).map(describeValue)).toEqual(expected.map((start) => expect.stringContaining(start)));
  });

  it('are returned all at once, in the order of the file', () => {
    const source =
      'nme: a\nversion: v3\nfreezes: [{ from: 2026-01-02, to: 2026-01-01 }]\nname: a\nname: b\nstages: { testing: [] }';
    expect(problemsOf(source).map(({ line, key }) => [line, key])).toEqual([
      [1, 'nme'],
      [2, 'version'],
      [3, 'freezes[0].to'],
      [5, 'name'],
      [6, 'stages.testing'],
    ]);
  });

  it('are the first hundred and the number of the others', () => {
    const problems = problemsOf(
      `version: v1\n${Array.from({ length: 150 }, (_, index) => `key${index}: 1`).join('\n')}`,
    );
    expect(problems).toHaveLength(101);
    expect(problems.at(-1)?.message).toBe('There are 50 more problems after these.');
  });

  it.each([
    [
      'bytes that are no UTF-8',
      Buffer.from([...Buffer.from('version: v1\nname: '), 0xe4, 0x0a]),
      { line: 2, column: null, message: 'The file is not UTF-8; save it as UTF-8.' },
    ],
    [
      'UTF-16',
      Buffer.from('\uFEFFversion: v1', 'utf16le'),
      { line: 1, column: null, message: 'The file is UTF-16; save it as UTF-8.' },
    ],
    [
      '64 KiB and a byte',
      Buffer.alloc(65_537, '#'),
      { line: null, column: null, message: 'The file has 65537 bytes; at most 65536 are allowed.' },
    ],
  ])('%s', (_what, source, expected) => {
    expect(problemsOf(source)).toEqual([{ key: '', ...expected }]);
  });

  it.each([
    ['[', 'nested 20 deep'],
    ['{', 'nested 20 deep'],
    ['- ', 'nested 20 deep'],
    ['? ', 'nested 20 deep'],
    [': ', 'nested 20 deep'],
    ['"', 'too many parts'],
    ['&a ', 'too many parts'],
    ['#\n', 'too many parts'],
  ])('rejects %j repeated many times', (chunk, message) => {
    const problems = problemsOf(chunk.repeat(Math.floor(65_000 / chunk.length)));
    expect(problems.map((problem) => problem.message)).toEqual([expect.stringContaining(message)]);
  });

  it('count the values of an alias each time that it occurs', () => {
    const tower = (name: string): string =>
      Array.from(
        { length: 24 },
        (_, level) =>
          `${name}${level}: &${name}${level} {${level === 0 ? '' : `l: *${name}${level - 1}, r: *${name}${level - 1}`}}`,
      ).join('\n');
    // Two equal values, of millions of values each, among items that must differ.
    const problems = problemsOf(`version: v1\n${tower('a')}\n${tower('b')}\nfreezes: [*a23, *b23]`);
    const [excess, ...others] = problems.filter(({ message }) => message.includes('more than 4000 values'));
    expect([excess, others]).toMatchObject([{ key: 'a10.r', line: 12 }, []]);
  });

  it('limit aliases, which share a value without copying it', () => {
    const bomb = Array.from(
      { length: 12 },
      (_, level) => `a${level}: &a${level} [${`*a${level - 1}, `.repeat(level && 9)}1]`,
    );
    const problems = problemsOf(`version: v1\n${bomb.join('\n')}`);
    expect(problems.some(({ message }) => message === 'There are more than 100 aliases.')).toBe(false);
    expect(problems.filter(({ message }) => message.startsWith('Unknown key'))).toHaveLength(12);
    expect(problemsOf(`version: v1\nname: &a b\nx: [${'*a, '.repeat(101)}]`).map(({ message }) => message)).toContain(
      'There are more than 100 aliases.',
    );
  });

  it('limit the number of values', () => {
    expect(problemsOf(`version: v1\nx: [${'1,'.repeat(4_001)}]`).map(({ message }) => message)).toContain(
      'The file holds more than 4000 values.',
    );
  });
});
