import { describe, expect, it } from '@jest/globals';
import { EVIDENCE_KINDS, isMeasured } from './evidence.js';

describe('isMeasured', () => {
  it.each(EVIDENCE_KINDS)('returns whether "%s" counts only with its metrics', (kind) => {
    const worthlessWithoutNumbers = [
      'unit_tests',
      'integration_tests',
      'e2e_tests',
      'coverage',
      'sast_scan',
      'security',
    ];
    expect(isMeasured(kind)).toBe(worthlessWithoutNumbers.includes(kind));
  });
});
