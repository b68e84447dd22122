import { beforeEach, describe, expect, it } from '@jest/globals';
import { FixedClock } from '../../../test/support/fixed-clock.js';
import { GitHubError } from './github-error.js';
import { RateLimits, parseRetryAfter } from './rate-limits.js';

const SECONDARY = { message: 'You have exceeded a secondary rate limit. Please wait a few minutes.' };

describe('RateLimits', () => {
  let clock: FixedClock;
  let limits: RateLimits;
  beforeEach(() => {
    clock = new FixedClock();
    limits = new RateLimits(clock);
  });

  const answer = (status: number, headers: Record<string, string> = {}, body: object = {}) => ({
    status,
    headers: new Headers(headers),
    text: JSON.stringify(body),
  });
  /** The pause in seconds that a rejection requires; null if the response is no rejection for a rate limit. */
  const pauseAfter = (status: number, headers: Record<string, string> = {}, body: object = {}): number | null => {
    try {
      limits.update('installation:7', answer(status, headers, body));
      return null;
    } catch (error) {
      expect(error).toMatchObject({ kind: 'rate_limited', status });
      return ((error as GitHubError).retryAt!.getTime() - clock.now().getTime()) / 1000;
    }
  };
  const inSeconds = (seconds: number): string => String(clock.now().getTime() / 1000 + seconds);

  it.each([
    ['retry-after', 403, { 'retry-after': '17' }, 17],
    ['retry-after as a date', 429, { 'retry-after': 'Mon, 04 May 2026 10:02:00 GMT' }, 120],
    [
      'retry-after before reset',
      403,
      { 'retry-after': '17', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '600' },
      17,
    ],
    ['no header', 429, {}, 60],
    ['a budget that is not exhausted', 429, { 'x-ratelimit-remaining': '7' }, 60],
  ] as const)('obeys %s', (_, status, headers, pause) => {
    expect(pauseAfter(status, headers)).toBe(pause);
  });

  it('waits for the reset of an exhausted budget', () => {
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': inSeconds(900) };
    expect(pauseAfter(403, headers)).toBe(900);
  });

  it('ignores a reset in the past', () => {
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': inSeconds(-5) };
    expect(pauseAfter(403, headers)).toBe(60);
  });

  it('doubles a pause without a stated time up to an hour, and starts again after a successful response', () => {
    const pauses = Array.from({ length: 8 }, () => {
      const pause = pauseAfter(403, {}, SECONDARY);
      clock.advance(pause! * 1000);
      return pause;
    });
    expect(pauses).toEqual([60, 120, 240, 480, 960, 1920, 3600, 3600]);
    expect(pauseAfter(200)).toBeNull();
    expect(pauseAfter(403, {}, SECONDARY)).toBe(60);
  });

  it('counts rejections of concurrent calls once', () => {
    expect([pauseAfter(403, {}, SECONDARY), pauseAfter(403, {}, SECONDARY)]).toEqual([60, 60]);
  });

  it('uses the longest of several pauses', () => {
    expect([pauseAfter(429, { 'retry-after': '300' }), pauseAfter(429, { 'retry-after': '10' })]).toEqual([300, 300]);
  });

  it('treats a plain 403 as a missing permission', () => {
    expect(pauseAfter(403, { 'x-ratelimit-remaining': '4000' }, { message: 'Resource not accessible' })).toBeNull();
    expect(() => limits.assertAllowed('installation:7')).not.toThrow();
  });

  it('names neither the user nor a digest of the token in a pause', () => {
    const token = 'user:0f1e2d3c';
    const answer = { status: 429, headers: new Headers({ 'retry-after': '10' }), text: '' };
    expect(() => limits.update(token, answer)).toThrow(/^GitHub asks a user to pause until/);
    expect(() => limits.assertAllowed(token)).toThrow(/^GitHub asks a user to pause until/);
  });

  it('closes one budget and no other', () => {
    pauseAfter(429, { 'retry-after': '10' });
    expect(() => limits.assertAllowed('installation:7')).toThrow(GitHubError);
    expect(() => limits.assertAllowed('installation:8')).not.toThrow();
    expect(() => limits.assertAllowed('app')).not.toThrow();
    clock.advance(10_000);
    expect(() => limits.assertAllowed('installation:7')).not.toThrow();
    expect(limits.budgets()).toMatchObject([{ name: 'installation:7', closedUntil: null }]);
  });
});

describe('parseRetryAfter', () => {
  const now = new Date('2026-05-04T10:00:00Z');
  it.each([
    ['0', 0],
    ['5', 5],
    [' 5 ', 5],
    ['Mon, 04 May 2026 10:00:30 GMT', 30],
  ])('reads %p', (value, seconds) => {
    expect(parseRetryAfter(new Headers({ 'retry-after': value }), now)).toEqual(
      new Date(now.getTime() + seconds * 1000),
    );
  });
  it.each(['', 'soon', '9'.repeat(20)])('reads no time from %p', (value) => {
    expect(parseRetryAfter(new Headers({ 'retry-after': value }), now)).toBeNull();
  });
});
