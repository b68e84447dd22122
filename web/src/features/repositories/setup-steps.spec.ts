import { describe, expect, it } from '@jest/globals';
import { readSteps } from './setup-steps.js';

describe('readSteps', () => {
  it.each([
    ['NOT_STARTED', ['current', 'todo', 'todo', 'todo']],
    ['PR_OPEN', ['done', 'current', 'todo', 'todo']],
    ['MERGED', ['done', 'done', 'current', 'todo']],
    ['PROTECTION_PENDING', ['done', 'done', 'current', 'todo']],
    ['PROTECTION_FAILED', ['done', 'done', 'failed', 'todo']],
    ['COMPLETE', ['done', 'done', 'done', 'done']],
  ] as const)('reads %s', (state, states) => {
    expect(readSteps(state)?.map(([, is]) => is)).toEqual(states);
  });

  it.each(['LEGACY', 'SUSPENDED', 'REMOVED'] as const)('has no steps for %s', (state) => {
    expect(readSteps(state)).toBeNull();
  });
});
