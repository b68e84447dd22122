import { describe, expect, it } from '@jest/globals';
import { freezeAt, nextFreezeBoundary } from './freeze.js';

const winter = { from: '2026-12-20', to: '2027-01-02', reason: 'year end' };
const launch = { from: '2026-12-31', to: '2026-12-31', reason: 'launch' };
const at = (moment: string): Date => new Date(moment);

describe('freezeAt', () => {
  it.each([
    ['a millisecond before it begins', '2026-12-19T23:59:59.999Z', null],
    ['as it begins', '2026-12-20T00:00:00Z', winter],
    ['in its last millisecond', '2027-01-02T23:59:59.999Z', winter],
    ['as it ends', '2027-01-03T00:00:00Z', null],
    ['by UTC, wherever the deployment is', '2027-01-03T01:00:00+02:00', winter],
  ])('holds or not %s', (_name, moment, freeze) => {
    expect(freezeAt([winter], at(moment))).toBe(freeze);
  });

  it('answers the first of several that hold, and none where there is none', () => {
    expect(freezeAt([winter, launch], at('2026-12-31T12:00:00Z'))).toBe(winter);
    expect(freezeAt([launch, winter], at('2026-12-30T12:00:00Z'))).toBe(winter);
    expect(freezeAt([], at('2026-12-31T12:00:00Z'))).toBeNull();
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
