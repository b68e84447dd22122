import { describe, expect, it } from '@jest/globals';
import { managedRepositoryLimit, type Plan, effectivePlan, remainingQuota } from './plan.js';

describe('managedRepositoryLimit', () => {
  it('returns three for the free plan and null for the pro plan', () => {
    expect([managedRepositoryLimit('free'), managedRepositoryLimit('pro')]).toEqual([3, null]);
  });
});

describe('remainingQuota', () => {
  it.each<[Plan, number, number | null]>([
    ['free', 0, 3],
    ['free', 2, 1],
    ['free', 3, 0],
    ['free', 40, 0],
    ['pro', 3, null],
    ['pro', 100_000, null],
  ])('returns for a workspace on %s with %i managed repositories a quota of %s', (plan, managed, room) => {
    expect(remainingQuota(plan, managed)).toBe(room);
  });
});

describe('effectivePlan', () => {
  it.each<[Plan, boolean, Plan]>([
    ['free', true, 'free'],
    ['pro', true, 'pro'],
    ['free', false, 'pro'],
    ['pro', false, 'pro'],
  ])('returns for a workspace on %s with billing %s the plan %s', (plan, billing, inForce) => {
    expect(effectivePlan(plan, billing)).toBe(inForce);
  });
});
