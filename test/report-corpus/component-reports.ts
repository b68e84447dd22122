import type { CorpusRow } from './corpus-row.js';

const row = (path: string, writtenBy: string): CorpusRow => ({
  path,
  writtenBy,
  metrics: {},
  failures: [],
  notes: [],
  testResults: 0,
});

/** Fixtures of bills of materials. No verdict uses their numbers. */
export const COMPONENT_REPORTS: readonly CorpusRow[] = [
  row('cyclonedx/npm-11.json', 'npm 11.19.1'),
  row('cyclonedx/cyclonedx-npm-6.json', '@cyclonedx/cyclonedx-npm 6.0.1'),
  row('cyclonedx/cyclonedx-npm-6.xml', '@cyclonedx/cyclonedx-npm 6.0.1'),
  row('spdx/npm-11.json', 'npm 11.19.1'),
  row('spdx/tags-2.3.spdx', 'after SPDX 2.3'),
  row('spdx/graph-3.0.json', 'after SPDX 3.0.1'),
  row('spdx/github-wrapped.json', "after GitHub's export of a dependency graph"),
];
