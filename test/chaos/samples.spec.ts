import { expect, it } from '@jest/globals';
import { findFlatness } from './samples.js';

const series = (value: (at: number) => number): readonly number[] => Array.from({ length: 360 }, (_, at) => value(at));

it.each([
  ['stays the same', series(() => 200), 'flat'],
  ['rises and falls', series((at) => 200 + 60 * Math.sin(at)), 'flat'],
  ['grows while it warms up', series((at) => Math.min(200, 100 + 2 * at)), 'flat'],
  ['has one high value at the end', series((at) => (at === 359 ? 900 : 200)), 'flat'],
  ['grows all the time', series((at) => 200 + at / 2), 'grows'],
  ['begins with nothing and grows', series((at) => at / 10), 'grows'],
  ['is short', series(() => 200).slice(0, 79), 'too short'],
])('a measure that %s', (_, values, flatness) => {
  expect(findFlatness(values)).toBe(flatness);
});
