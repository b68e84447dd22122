import { describe, expect, it } from '@jest/globals';
import { includesScope } from './key-scope.js';

describe('covers', () => {
  it.each([
    ['read', 'read', true],
    ['read', 'write', false],
    ['write', 'read', true],
    ['write', 'write', true],
  ] as const)('a key that may %s where %s is needed: %s', (held, needed, expected) => {
    expect(includesScope(held, needed)).toBe(expected);
  });
});
