import { describe, expect, it } from '@jest/globals';
import { piece, redPiece } from '../../../test/support/given-facts.js';
import { weighs } from './deciding-set.js';
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

  it('weighs where one of its pieces fails, or one of the requirements asks for it', () => {
    const document = piece({ kind: 'custom', metrics: {} });
    const failed = redPiece({ kind: 'custom', metrics: {}, failures: ['cut short'] });
    const slot = { pipeline: 'ci', kind: 'custom', environment: 'ci', flaky: false } as const;
    expect(weighs({ ...slot, pieces: [document] }, [{ kind: 'sbom' }])).toBe(false);
    expect(weighs({ ...slot, pieces: [document, failed] }, [{ kind: 'sbom' }])).toBe(true);
    expect(weighs({ ...slot, pieces: [document] }, [{ kind: 'sbom' }, { kind: 'custom' }])).toBe(true);
  });
});
