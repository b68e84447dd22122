import { describe, expect, it } from '@jest/globals';
import { activeFreezes, nextFreezeBoundary } from './freeze.js';

const winter = { from: '2026-12-20', to: '2027-01-02', reason: 'year end' };
const launch = { from: '2026-12-31', to: '2026-12-31', reason: 'launch' };
const at = (moment: string): Date => new Date(moment);

describe('freezesAt', () => {
  it.each([
    ['a millisecond before it begins', '2026-12-19T23:59:59.999Z', []],
    ['as it begins', '2026-12-20T00:00:00Z', [winter]],
    ['in its last millisecond', '2027-01-02T23:59:59.999Z', [winter]],
    ['as it ends', '2027-01-03T00:00:00Z', []],
    ['by UTC, wherever the deployment is', '2027-01-03T01:00:00+02:00', [winter]],
  ])('holds or not %s', (_name, moment, freezes) => {
    expect(activeFreezes([winter], at(moment))).toEqual(freezes);
  });

  it('answers each of several that hold, and none where there is none', () => {
    expect(activeFreezes([winter, launch], at('2026-12-31T12:00:00Z'))).toEqual([winter, launch]);
    expect(activeFreezes([launch, winter], at('2026-12-30T12:00:00Z'))).toEqual([winter]);
    expect(activeFreezes([], at('2026-12-31T12:00:00Z'))).toEqual([]);
  });
});

describe('nextFreezeBoundary', () => {
  it.each([
    ['2026-05-04T00:00:00Z', Date.parse('2026-12-20T00:00:00Z')],
    ['2026-12-20T00:00:00Z', Date.parse('2026-12-31T00:00:00Z')],
    ['2026-12-31T12:00:00Z', Date.parse('2027-01-01T00:00:00Z')],
    ['2027-01-01T00:00:00Z', Date.parse('2027-01-03T00:00:00Z')],
    ['2027-01-03T00:00:00Z', Number.POSITIVE_INFINITY],
  ])('after %s', (moment, boundary) => {
    expect(nextFreezeBoundary([winter, launch], at(moment))).toBe(boundary);
  });
});
