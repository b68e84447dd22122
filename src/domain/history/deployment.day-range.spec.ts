import { describe, expect, it } from '@jest/globals';
import { validateDayRange } from './deployment.js';

const NO_SUCH_FROM = 'from must be a day that exists, as YYYY-MM-DD.';
const NO_SUCH_TO = 'to must be a day that exists, as YYYY-MM-DD.';
const TURNED = 'from must not be after to.';

describe('validateDayRange', () => {
  it.each<[string | null, string | null, string | null]>([
    [null, null, null],
    ['2026-05-04', null, null],
    [null, '2026-05-04', null],
    ['2026-05-04', '2026-05-04', null],
    ['2026-05-04', '2026-05-05', null],
    ['2026-12-31', '2027-01-01', null],
    ['2028-02-29', '2028-03-01', null],
    ['1000-01-01', '9999-12-31', null],
    ['2026-05-05', '2026-05-04', TURNED],
    ['2027-01-01', '2026-12-31', TURNED],
    ['2026-02-29', null, NO_SUCH_FROM],
    ['2026-02-29', '2026-01-01', NO_SUCH_FROM],
    ['2026-04-31', '2026-04-31', NO_SUCH_FROM],
    ['2026-04-30', '2026-04-31', NO_SUCH_TO],
    [null, '2026-13-01', NO_SUCH_TO],
    [null, '', NO_SUCH_TO],
    ['26-05-04', null, NO_SUCH_FROM],
    ['2026-05-04T00:00:00Z', null, NO_SUCH_FROM],
    [' 2026-05-04', null, NO_SUCH_FROM],
    ['-infinity', null, NO_SUCH_FROM],
    ['today', null, NO_SUCH_FROM],
  ])('validates the days from %j to %j: %j', (from, to, problem) => {
    expect(validateDayRange({ from, to })).toBe(problem);
  });
});
