import type { SeverityMetrics, TestMetrics } from '../../../domain/evidence/evidence.js';
import type { QualityResult, ReleaseGroup } from '../release-group.js';
import { RELEASE_ID_COLUMN, RELEASE_NAME_COLUMNS } from './release-columns.js';
import type { Cell, TableColumn } from './table-column.js';

type Of = TableColumn<QualityResult>['of'];

/** What a number is shown as that CI may have stated: nothing, where it is none. */
const stated = (value: unknown): Cell => (typeof value === 'number' && Number.isFinite(value) ? value : null);

const tests =
  (field: keyof TestMetrics): Of =>
  ({ metrics }) =>
    stated((metrics.unit_tests ?? metrics.integration_tests ?? metrics.e2e_tests)?.[field]);
const coverage =
  (field: 'line_percent' | 'branch_percent'): Of =>
  ({ metrics }) =>
    stated(metrics.coverage?.[field]);
const findings =
  (severity: keyof SeverityMetrics): Of =>
  ({ metrics }) =>
    stated((metrics.sast_scan ?? metrics.security)?.[severity]);

/** What is told of a result itself. */
export const OWN_RESULT_COLUMNS: readonly TableColumn<QualityResult>[] = [
  { heading: 'Type', kind: 'text', width: 18, of: ({ type }) => type },
  { heading: 'Environment', kind: 'text', width: 16, of: ({ environment }) => environment },
  { heading: 'Pipeline', kind: 'text', width: 28, of: ({ pipeline }) => pipeline },
  { heading: 'Status', kind: 'text', width: 12, of: ({ status }) => status },
  { heading: 'Decides', kind: 'text', width: 12, of: ({ decides }) => (decides ? 'yes' : 'no') },
  { heading: 'Received (UTC)', kind: 'moment', width: 19, of: ({ createdAt }) => createdAt },
  { heading: 'Tests', kind: 'count', width: 10, of: tests('total') },
  { heading: 'Passed', kind: 'count', width: 11, of: tests('passed') },
  { heading: 'Failed', kind: 'count', width: 11, of: tests('failed') },
  { heading: 'Skipped', kind: 'count', width: 12, of: tests('skipped') },
  { heading: 'Flaky', kind: 'count', width: 10, of: tests('flaky') },
  { heading: 'Line coverage %', kind: 'decimal', width: 20, of: coverage('line_percent') },
  { heading: 'Branch coverage %', kind: 'decimal', width: 22, of: coverage('branch_percent') },
  { heading: 'Critical', kind: 'count', width: 13, of: findings('critical') },
  { heading: 'High', kind: 'count', width: 9, of: findings('high') },
  { heading: 'Medium', kind: 'count', width: 11, of: findings('medium') },
  { heading: 'Low', kind: 'count', width: 9, of: findings('low') },
  { heading: 'Commit', kind: 'id', width: 42, of: ({ commitSha }) => commitSha },
  { heading: 'Evidence id', kind: 'id', width: 38, of: ({ evidenceId }) => evidenceId },
];

/** A result, and the release that it is of. */
export interface ReleaseResult {
  readonly group: ReleaseGroup;
  readonly result: QualityResult;
}

/** A row for each result, beside a table of the releases. */
export const RESULT_COLUMNS: readonly TableColumn<ReleaseResult>[] = [
  ...RELEASE_NAME_COLUMNS.map(ofRelease),
  ...OWN_RESULT_COLUMNS.map(({ of, ...column }) => ({ ...column, of: ({ result }: ReleaseResult) => of(result) })),
  ofRelease(RELEASE_ID_COLUMN),
];

/** The rows of a release. */
export const resultsOf = (group: ReleaseGroup): readonly ReleaseResult[] =>
  group.results.map((result) => ({ group, result }));

function ofRelease({ of, ...column }: TableColumn<ReleaseGroup>): TableColumn<ReleaseResult> {
  return { ...column, of: ({ group }) => of(group) };
}
