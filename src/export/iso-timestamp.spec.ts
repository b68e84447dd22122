import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { isoMoment } from './iso-timestamp.js';

describe('isoMoment', () => {
  it('returns the same as toISOString for any time', () => {
    fc.assert(
      fc.property(fc.array(fc.date({ noInvalidDate: true }), { minLength: 1 }), (moments) => {
        expect(moments.map(isoMoment)).toEqual(moments.map((at) => at.toISOString()));
      }),
    );
  });

  it.each([
    '2026-11-21T00:00:00.000Z',
    '2026-11-21T23:59:59.999Z',
    '2026-11-22T00:00:00.000Z',
    '1969-12-31T23:59:59.999Z',
    '-000001-12-31T23:59:59.999Z',
    '+010000-01-01T00:00:00.000Z',
  ])('returns the same as toISOString one millisecond before and after %s', (text) => {
    const moments = [-1, 0, 1, 0].map((more) => new Date(new Date(text).getTime() + more));
    expect(moments.map(isoMoment)).toEqual(moments.map((at) => at.toISOString()));
  });

  it('throws for an invalid date, and formats the next date', () => {
    expect(() => isoMoment(new Date(Number.NaN))).toThrow(RangeError);
    expect(isoMoment(new Date(0))).toBe('1970-01-01T00:00:00.000Z');
  });
});
