import { describe, expect, it } from '@jest/globals';
import { activeFreezes, nextFreezeBoundary } from './freeze.js';

const winter = { from: '2026-12-20', to: '2027-01-02', reason: 'year end' };
const launch = { from: '2026-12-31', to: '2026-12-31', reason: 'launch' };
const at = (moment: string): Date => new Date(moment);

describe('activeFreezes', () => {
  it.each([
    ['a millisecond before it begins', '2026-12-19T23:59:59.999Z', []],
    ['when it begins', '2026-12-20T00:00:00Z', [winter]],
    ['in its last millisecond', '2027-01-02T23:59:59.999Z', [winter]],
    ['when it ends', '2027-01-03T00:00:00Z', []],
    ['by UTC, with any time zone of the deployment', '2027-01-03T01:00:00+02:00', [winter]],
  ])('returns the freeze or not %s', (_name, moment, freezes) => {
    expect(activeFreezes([winter], at(moment))).toEqual(freezes);
  });

  it('returns each of several active freezes, and none if there is none', () => {
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
  ])('returns the next start or end after %s', (moment, boundary) => {
    expect(nextFreezeBoundary([winter, launch], at(moment))).toBe(boundary);
  });
});
