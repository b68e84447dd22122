import { describe, expect, it } from '@jest/globals';
import { findKeyProblem } from './key-age.js';

const NOW = Date.parse('2026-11-23T12:00:00Z');
const OLD = '2026-08-25T12:00:00Z';
const RECENT = '2026-08-25T12:00:01Z';

describe('findKeyProblem', () => {
  it.each([
    ['unused', { createdAt: OLD, lastUsedAt: null, expiresAt: null }],
    [null, { createdAt: RECENT, lastUsedAt: null, expiresAt: null }],
    [null, { createdAt: OLD, lastUsedAt: RECENT, expiresAt: null }],
    ['unused', { createdAt: OLD, lastUsedAt: OLD, expiresAt: '2026-11-23T12:00:01Z' }],
    ['expired', { createdAt: RECENT, lastUsedAt: RECENT, expiresAt: '2026-11-23T12:00:00Z' }],
  ] as const)('finds %s', (problem, key) => {
    expect(findKeyProblem(key, NOW)).toBe(problem);
  });
});
