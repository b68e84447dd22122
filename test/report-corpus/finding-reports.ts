import type { CorpusRow } from './corpus-row.js';
import { findings } from './metrics-of.js';

/** Fixtures of formats that report findings. */
export const FINDING_REPORTS: readonly CorpusRow[] = [
  {
    path: 'sarif/eslint-9.sarif',
    writtenBy: '@microsoft/eslint-formatter-sarif 3.1.0 on ESLint 9.39.5',
    metrics: findings(0, 3, 1, 0),
    failures: [],
    notes: ['ESLint: 1 results not counted: suppressed'],
    roll: 0,
  },
  {
    path: 'sarif/eslint-9-parse-error.sarif',
    writtenBy: '@microsoft/eslint-formatter-sarif 3.1.0 on ESLint 9.39.5',
    metrics: findings(0, 0, 0, 0),
    failures: ['ESLint says that its run did not succeed'],
    notes: [],
    roll: 0,
  },
  {
    path: 'sarif/oxlint-1.sarif',
    writtenBy: 'oxlint 1.94.0',
    metrics: findings(0, 1, 2, 0),
    failures: [],
    notes: [],
    roll: 0,
  },
  {
    path: 'sarif/codeql-2.sarif',
    writtenBy: 'after CodeQL 2',
    metrics: findings(1, 1, 1, 1),
    failures: [],
    notes: ['CodeQL: 1 results not counted: suppressed'],
    roll: 0,
  },
];
