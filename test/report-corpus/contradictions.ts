import type { Contradiction } from './contradiction.js';
import { COVERAGE_CONTRADICTIONS } from './coverage-contradictions.js';
import { FINDING_CONTRADICTIONS } from './finding-contradictions.js';
import { TEST_CONTRADICTIONS } from './test-contradictions.js';

/** Every pair of places that can contradict each other, format by format. */
export const CONTRADICTIONS: readonly Contradiction[] = [
  ...TEST_CONTRADICTIONS,
  ...COVERAGE_CONTRADICTIONS,
  ...FINDING_CONTRADICTIONS,
];
