import { COMPONENT_REPORTS } from './component-reports.js';
import type { CorpusRow } from './corpus-row.js';
import { COVERAGE_REPORTS } from './coverage-reports.js';
import { FINDING_REPORTS } from './finding-reports.js';
import { JUNIT_REPORTS } from './junit-reports.js';
import { TEST_REPORTS } from './test-reports.js';

/** Every fixture whose numbers a verdict can use. */
export const CORPUS: readonly CorpusRow[] = [
  ...JUNIT_REPORTS,
  ...TEST_REPORTS,
  ...COVERAGE_REPORTS,
  ...FINDING_REPORTS,
  ...COMPONENT_REPORTS,
];
