import { describe, expect, it } from '@jest/globals';
import { managedRepositoryLimit, type Plan, effectivePlan, remainingQuota } from './plan.js';

describe('managedRepositoryLimit', () => {
  it('is three on free, and none on pro', () => {
    expect([managedRepositoryLimit('free'), managedRepositoryLimit('pro')]).toEqual([3, null]);
  });
});

describe('roomBeside', () => {
  it.each<[Plan, number, number | null]>([
    ['free', 0, 3],
    ['free', 2, 1],
    ['free', 3, 0],
    ['free', 40, 0],
    ['pro', 3, null],
    ['pro', 100_000, null],
  ])('on %s, %i repositories leave room for %s', (plan, managed, room) => {
    expect(remainingQuota(plan, managed)).toBe(room);
  });
});

describe('planInForce', () => {
  it.each<[Plan, boolean, Plan]>([
    ['free', true, 'free'],
    ['pro', true, 'pro'],
    ['free', false, 'pro'],
    ['pro', false, 'pro'],
  ])('of a workspace on %s, with billing %s, is %s', (plan, billing, inForce) => {
    expect(effectivePlan(plan, billing)).toBe(inForce);
  });
});
