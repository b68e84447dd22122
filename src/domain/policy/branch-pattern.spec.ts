import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { branchMatches, lastSegment, literalPrefix } from './branch-pattern.js';

describe('branchMatches', () => {
  it.each([
    ['main', 'main', true],
    ['main', 'maintenance', false],
    ['main', 'Main', false],
    ['release/*', 'release/v1.2.3', true],
    ['release/*', 'release/', true],
    ['release/*', 'release/2026/v1.2.3', false],
    ['release/*', 'prerelease/v1.2.3', false],
    ['release/**', 'release/2026/v1.2.3', true],
    ['release/**', 'release', false],
    ['release/v?.0', 'release/v1.0', true],
    ['release/v?.0', 'release/v10.0', false],
    ['release?v1', 'release/v1', false],
    ['**/v*', 'a/b/v1', true],
    ['**/v*', 'a/b/v1/x', false],
    ['*/**/x', 'a//x', true],
    ['a.c', 'abc', false],
    ['[ab]', 'a', false],
    ['***', 'a/b', true],
    ['release/?', 'release/🚀', true],
    ['', '', true],
    ['', 'a', false],
    ['**', '', true],
  ])('matches %s against %s: %s', (pattern, branch, expected) => {
    expect(branchMatches(pattern, branch)).toBe(expected);
  });

  it('agrees with a recursive implementation of the rules', () => {
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*', '**', '?', '.', '🚀'), maxLength: 9 });
    const branch = fc.string({ unit: fc.constantFrom('a', 'b', '/', '.', '🚀'), maxLength: 9 });
    fc.assert(
      fc.property(pattern, branch, (pattern, branch) => {
        expect(branchMatches(pattern, branch)).toBe(matchesRecursively(Array.from(pattern), Array.from(branch)));
      }),
      { numRuns: 3_000 },
    );
  });

  it('matches a pattern that explodes in a backtracking matcher without delay', () => {
    const started = performance.now();
    expect(branchMatches('*a**'.repeat(60), `${'a'.repeat(250)}b/`)).toBe(true);
    expect(branchMatches(`${'*a'.repeat(120)}c`, 'a'.repeat(250))).toBe(false);
    expect(performance.now() - started).toBeLessThan(30_000);
  });
});

describe('literalPrefix', () => {
  it.each([
    ['release/**', 'release/'],
    ['release/v*', 'release/'],
    ['teams/?/x/*', 'teams/'],
    ['**', ''],
    ['v*', ''],
    ['main', 'main'],
    ['release/next', 'release/next'],
  ])('returns for %s the prefix "%s"', (pattern, prefix) => {
    expect(literalPrefix(pattern)).toBe(prefix);
  });

  it('returns a prefix of every branch that matches', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '/', '*', '?'), maxLength: 8 });
    fc.assert(
      fc.property(text, fc.string({ unit: fc.constantFrom('a', '/'), maxLength: 8 }), (pattern, branch) => {
        if (branchMatches(pattern, branch)) expect(branch.startsWith(literalPrefix(pattern))).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('lastSegment', () => {
  it.each([
    ['release/v1.2.3', 'v1.2.3'],
    ['hotfix/eu/v1.2.4', 'v1.2.4'],
    ['v1.2.3', 'v1.2.3'],
    ['release/', ''],
  ])('returns for %s the segment "%s"', (branch, segment) => {
    expect(lastSegment(branch)).toBe(segment);
  });
});

function matchesRecursively(pattern: readonly string[], branch: readonly string[]): boolean {
  const [token, ...rest] = pattern;
  if (token === undefined) return branch.length === 0;
  const [character, ...remaining] = branch;
  if (token === '*') {
    const stars = pattern.findIndex((other) => other !== '*');
    const after = stars === -1 ? [] : pattern.slice(stars);
    const deep = pattern.length - after.length > 1;
    if (matchesRecursively(after, branch)) return true;
    return character !== undefined && (deep || character !== '/') && matchesRecursively(pattern, remaining);
  }
  if (character === undefined) return false;
  return (token === '?' ? character !== '/' : token === character) && matchesRecursively(rest, remaining);
}
