import { expect, it } from '@jest/globals';
import { findEnd } from './waiver-end.js';

const NOW = Date.UTC(2026, 10, 23, 12);

it.each([
  ['day', '2026-11-24T12:00:00.000Z'],
  ['threeDays', '2026-11-26T12:00:00.000Z'],
  ['week', '2026-11-30T11:59:00.000Z'],
] as const)('ends %s at %s', (choice, end) => {
  expect(findEnd(choice, '', NOW)).toBe(end);
});

it('reads an own end in the time zone of the reader', () => {
  expect(findEnd('own', '2026-11-25T08:30', NOW)).toBe(new Date(2026, 10, 25, 8, 30).toISOString());
});

it.each(['', 'soon'])('has no end for the incomplete text "%s"', (own) => {
  expect(findEnd('own', own, NOW)).toBeNull();
});
