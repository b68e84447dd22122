import { describe, expect, it } from '@jest/globals';
import { evidenceItem } from '../../../test/support/given-facts.js';
import { countedItems } from './effective-evidence-set.js';
import { evidenceFailures } from './evidence-status.js';

describe('minimal evidence', () => {
  it('passes with a single test', () => {
    expect(
      evidenceFailures(evidenceItem({ metrics: { unit_tests: { total: 1, passed: 1, failed: 0, skipped: 0 } } })),
    ).toEqual([]);
  });

  it('counts a run whose id only starts with a number', () => {
    const only = evidenceItem({ run: { id: '12-nightly', proven: true } });
    expect(countedItems([only])).toEqual([only]);
  });
});
