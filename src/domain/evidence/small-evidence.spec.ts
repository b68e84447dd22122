import { describe, expect, it } from '@jest/globals';
import { piece } from '../../../test/support/given-facts.js';
import { newestRun } from './newest-run.js';
import { failuresOf } from './piece-failures.js';

describe('the least that evidence can be', () => {
  it('passes with a single test', () => {
    expect(failuresOf(piece({ metrics: { unit_tests: { total: 1, passed: 1, failed: 0, skipped: 0 } } }))).toEqual([]);
  });

  it('may name a run by what begins like a number', () => {
    const only = piece({ run: { id: '12-nightly', attempt: 1 } });
    expect(newestRun([only])).toEqual([only]);
  });
});
