import { describe, expect, it } from '@jest/globals';
import { compareNames, toComparableName } from './similar-names.js';

function difference(one: string, other: string): number | null {
  const [a, b] = [toComparableName(one), toComparableName(other)];
  return a && b && compareNames(a, b);
}

describe('compareNames', () => {
  it.each([
    ['build', 'build', 0],
    ['build', 'Build', 0],
    ['unit tests', 'unittests', 0],
    ['unit tests', ' Unit  Tests ', 0],
    ['CI / build', 'CI/build', 0],
    ['CI / build', 'build', 1],
    ['build', 'release / ci / Build', 1],
    ['test (ubuntu, 22)', 'CI / test (ubuntu,22)', 1],
    ['build', 'biuld', 2],
    ['build', 'buld', 2],
    ['build', 'builds', 2],
    ['build', 'bu1ld', 2],
    ['e2e', 'e2', 2],
    ['CI / build', 'buid', 2],
    ['CI / build', 'CD / build', 2],
    ['build', 'test', null],
    ['build', 'built it', null],
    ['build', 'rebuild', null],
    ['abcd', 'badc', null],
    ['ci', 'cd', null],
    ['build', '', null],
  ])('compares "%s" with "%s"', (one, other, expected) => {
    expect(difference(one, other)).toBe(expected);
    expect(difference(other, one)).toBe(expected);
  });

  it('compares no name of more than a thousand characters', () => {
    expect(difference('a'.repeat(1_001), 'a'.repeat(1_001))).toBeNull();
  });
});
