import { describe, expect, it } from '@jest/globals';
import { isSameEnvironment } from './policy.js';

describe('isSameEnvironment', () => {
  it.each([
    ['production', 'Production', true],
    ['Übung', 'ÜBUNG', true],
    ['δοκιμες', 'ΔΟΚΙΜΕΣ', true],
    ['production', 'production ', false],
    ['backing', 'bac\u{212A}ing', false],
    ['production', 'product\u{130}on', false],
    ['staging', '\u{17F}taging', false],
    ['PRODUCTION', 'product\u{131}on', false],
    ['gross', 'gro\u{DF}', false],
  ])('of %j and %j is %s', (one, other, isSame) => {
    expect([isSameEnvironment(one, other), isSameEnvironment(other, one)]).toEqual([isSame, isSame]);
  });
});
