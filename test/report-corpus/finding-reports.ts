import type { EvidenceMetrics } from '../../src/domain/evidence/evidence.js';
import type { CorpusRow } from './corpus-row.js';
import { findings } from './metrics-of.js';

function vulnerabilities(critical: number, high: number, medium: number, low: number): EvidenceMetrics {
  return { security: { critical, high, medium, low } };
}

/** Fixtures of formats that report findings. */
export const FINDING_REPORTS: readonly CorpusRow[] = [
  {
    path: 'sarif/eslint-9.sarif',
    writtenBy: '@microsoft/eslint-formatter-sarif 3.1.0 on ESLint 9.39.5',
    metrics: findings(0, 3, 1, 0),
    failures: [],
    notes: ['ESLint: 1 results not counted: suppressed'],
    testResults: 0,
  },
  {
    path: 'sarif/eslint-9-parse-error.sarif',
    writtenBy: '@microsoft/eslint-formatter-sarif 3.1.0 on ESLint 9.39.5',
    metrics: findings(0, 0, 0, 0),
    failures: ['ESLint reports that its run did not succeed'],
    notes: ['ESLint reported an error: Parsing error: Unexpected token ='],
    testResults: 0,
  },
  {
    path: 'sarif/oxlint-1.sarif',
    writtenBy: 'oxlint 1.94.0',
    metrics: findings(0, 1, 2, 0),
    failures: [],
    notes: [],
    testResults: 0,
  },
  {
    path: 'sarif/codeql-2.sarif',
    writtenBy: 'after CodeQL 2',
    metrics: findings(1, 1, 1, 1),
    failures: [],
    notes: ['CodeQL: 1 results not counted: suppressed'],
    testResults: 0,
  },
  {
    path: 'trivy/image.json',
    writtenBy: 'after Trivy 0.58',
    metrics: vulnerabilities(1, 2, 2, 0),
    failures: [],
    notes: [
      'the operating system is no longer supported: new vulnerabilities are not reported',
      '1 findings not counted: suppressed in the scan',
    ],
    testResults: 0,
  },
  {
    path: 'trivy/config.json',
    writtenBy: 'after Trivy 0.58',
    metrics: vulnerabilities(0, 1, 0, 1),
    failures: [],
    notes: [],
    testResults: 0,
  },
  {
    path: 'trivy/clean.json',
    writtenBy: 'after Trivy 0.58',
    metrics: vulnerabilities(0, 0, 0, 0),
    failures: [],
    notes: [],
    testResults: 0,
  },
  {
    path: 'trivy/nothing-scanned.json',
    writtenBy: 'after Trivy 0.58',
    metrics: vulnerabilities(0, 0, 0, 0),
    failures: ['Trivy lists no scanned target'],
    notes: [],
    testResults: 0,
  },
  {
    path: 'npm-audit/npm-11.json',
    writtenBy: 'after npm 11',
    metrics: vulnerabilities(2, 0, 1, 0),
    failures: [],
    notes: [],
    testResults: 0,
  },
  {
    path: 'npm-audit/npm-6.json',
    writtenBy: 'after npm 6',
    metrics: vulnerabilities(1, 0, 2, 0),
    failures: [],
    notes: ['2 moderate vulnerabilities stated, 1 listed; the greater number counts'],
    testResults: 0,
  },
  {
    path: 'npm-audit/npm-11-unreachable.json',
    writtenBy: 'npm 11.19.1',
    metrics: vulnerabilities(0, 0, 0, 0),
    failures: [
      'the audit failed: 405 Method Not Allowed - POST https://registry.example/-/npm/v1/security/advisories/bulk',
    ],
    notes: [],
    testResults: 0,
  },
  {
    path: 'npm-audit/npm-11-no-lockfile.json',
    writtenBy: 'npm 11.19.1',
    metrics: vulnerabilities(0, 0, 0, 0),
    failures: ['the audit failed: ENOLOCK: This command requires an existing lockfile.'],
    notes: [],
    testResults: 0,
  },
  // With `--offline` npm sends no request, and its output is that of a package without vulnerabilities. The guide warns
  // about it.
  {
    path: 'npm-audit/npm-11-offline.json',
    writtenBy: 'npm 11.19.1',
    metrics: vulnerabilities(0, 0, 0, 0),
    failures: [],
    notes: [],
    testResults: 0,
  },
];
