import { describe, expect, it } from '@jest/globals';
import { ReplacementPause } from './job-worker.js';

const SHORT = 2_000;
const LONG = 60_000;

describe('the pause before a worker pool is replaced', () => {
  it.each([
    { title: 'is none after the first loss', lifetimes: [SHORT], pauses: [0] },
    {
      title: 'grows up to a limit while pools are lost soon after their start',
      lifetimes: [SHORT, SHORT, SHORT, SHORT, SHORT, SHORT, SHORT, SHORT],
      pauses: [0, 500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000],
    },
    {
      title: 'is none again after a pool that worked for a while',
      lifetimes: [SHORT, SHORT, SHORT, LONG, SHORT, SHORT],
      pauses: [0, 500, 1_000, 0, 0, 500],
    },
  ])('$title', ({ lifetimes, pauses }) => {
    const pause = new ReplacementPause();
    expect(lifetimes.map((lifetime) => pause.next(lifetime))).toEqual(pauses);
  });
});
