import { describe, expect, it } from '@jest/globals';
import { includesScope } from './key-scope.js';

describe('includesScope', () => {
  it.each([
    ['read', 'read', true],
    ['read', 'write', false],
    ['write', 'read', true],
    ['write', 'write', true],
  ] as const)('returns whether the scope %s includes %s: %s', (held, needed, expected) => {
    expect(includesScope(held, needed)).toBe(expected);
  });
});
