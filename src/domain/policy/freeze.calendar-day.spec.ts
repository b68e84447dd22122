import { describe, expect, it } from '@jest/globals';
import { isCalendarDay } from './freeze.js';

describe('isCalendarDay', () => {
  it.each(['2026-01-31', '2026-12-31', '2028-02-29', '2000-02-29', '1000-01-01', '9999-12-31', '2026-04-30'])(
    'accepts %s',
    (day) => expect(isCalendarDay(day)).toBe(true),
  );

  it.each([
    '',
    '2026-02-29',
    '2100-02-29',
    '2026-04-31',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-01-32',
    '26-01-01',
    '2026-1-1',
    '2026-01-01T00:00:00Z',
    ' 2026-01-01',
    '2026-01-01\n',
    '20260101',
    '0999-01-01',
    '٢٠٢٦-01-01',
  ])('rejects %j', (day) => expect(isCalendarDay(day)).toBe(false));
});
