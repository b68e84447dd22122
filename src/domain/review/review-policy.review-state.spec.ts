import { describe, expect, it } from '@jest/globals';
import { NOW, pull } from '../../../test/support/given-facts.js';
import type { PullFact } from '../facts/facts.js';
import { reviewState } from './review-policy.js';

const MINUTE = 60_000;

describe('reviewState', () => {
  const of = (value: PullFact | null, age: number, queriedAgo: number | null = null) => {
    const observedAt = new Date(NOW.getTime() - age);
    return reviewState({ value, observedAt }, NOW, queriedAgo === null ? null : new Date(NOW.getTime() - queriedAgo));
  };

  it('is unknown without an observation', () => {
    expect(reviewState(null, NOW, null)).toBe('unknown');
  });

  it.each([
    ['open', pull(), 'open'],
    ['closed', pull({ state: 'closed' }), 'closed'],
    ['missing', null, 'closed'],
  ])('returns the state of a pull request that is %s for 20 minutes', (_name, value, state) => {
    expect(of(value, 20 * MINUTE - 1)).toBe(state);
    expect(of(value, 20 * MINUTE)).toBe('unknown');
    expect(of(value, 20 * MINUTE + 1_000)).toBe('unknown');
  });

  it('counts facts that were read since the query', () => {
    expect(of(pull(), 1, 1)).toBe('open');
    expect(of(pull(), 2, 1)).toBe('unknown');
  });

  it('stays merged without an expiry', () => {
    expect(of(pull({ state: 'merged' }), 99 * MINUTE, 1)).toBe('merged');
  });
});
