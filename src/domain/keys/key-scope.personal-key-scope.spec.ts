import { describe, expect, it } from '@jest/globals';
import { includesScope } from './key-scope.js';

describe('includesScope', () => {
  it.each([
    ['read', 'read', true],
    ['read', 'write', false],
    ['write', 'read', true],
    ['write', 'write', true],
  ] as const)('for a key with the scope %s that needs %s returns %s', (held, needed, expected) => {
    expect(includesScope(held, needed)).toBe(expected);
  });
});
