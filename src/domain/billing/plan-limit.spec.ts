import { describe, expect, it } from '@jest/globals';
import { hasRoomFor, type Plan } from './plan-limit.js';

describe('hasRoomFor', () => {
  it.each<[Plan, number, boolean]>([
    ['free', 0, true],
    ['free', 2, true],
    ['free', 3, false],
    ['free', 4, false],
    ['pro', 3, true],
    ['pro', 100_000, true],
  ])('on %s beside %i repositories: %s', (plan, managed, room) => {
    expect(hasRoomFor(plan, managed)).toBe(room);
  });
});
