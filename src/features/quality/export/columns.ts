import type { SeverityMetrics, TestMetrics } from '../../../domain/evidence/evidence.js';
import type { CategoryName } from '../../../domain/quality/score-category.js';
import type { Cell, TableColumn } from '../../../export/table.js';
import type { QualityResultDto, ReleaseGroupDto } from '../quality.dto.js';

type ReleaseColumn = TableColumn<ReleaseGroupDto>;

const createScoreReader =
  (category: CategoryName) =>
  ({ scorecard }: ReleaseGroupDto): number | null =>
    scorecard.categories.find(({ name }) => name === category)?.score ?? null;

/** The columns that identify a release, with its score. */
export const RELEASE_NAME_COLUMNS: readonly ReleaseColumn[] = [
  { heading: 'Organization', kind: 'text', width: 18, of: ({ org }) => org },
  { heading: 'Repository', kind: 'text', width: 26, of: ({ repo }) => repo },
  { heading: 'Version', kind: 'text', width: 16, of: ({ version }) => version },
  { heading: 'Stage', kind: 'text', width: 15, of: ({ stage }) => stage },
  { heading: 'Score', kind: 'decimal', width: 10, of: ({ scorecard }) => scorecard.score },
  { heading: 'Grade', kind: 'text', width: 10, of: ({ scorecard }) => scorecard.grade },
];

/** The columns of the scorecard. */
export const SCORECARD_COLUMNS: readonly ReleaseColumn[] = [
  { heading: 'Tests score', kind: 'decimal', width: 16, of: createScoreReader('tests') },
  { heading: 'Coverage score', kind: 'decimal', width: 19, of: createScoreReader('coverage') },
  { heading: 'SAST score', kind: 'decimal', width: 15, of: createScoreReader('sast') },
  { heading: 'Vulnerabilities score', kind: 'decimal', width: 26, of: createScoreReader('vulnerabilities') },
  { heading: 'Completeness score', kind: 'decimal', width: 23, of: createScoreReader('completeness') },
  { heading: 'Incomplete', kind: 'text', width: 30, of: ({ scorecard }) => listed(scorecard.incomplete) },
  {
    heading: 'Grade limited by',
    kind: 'text',
    width: 48,
    of: ({ scorecard }) =>
      listed(
        scorecard.caps.map(({ reason }) => reason),
        ' ',
      ),
  },
];

/** The columns of the comparison and of flaky tests. */
export const COMPARISON_COLUMNS: readonly ReleaseColumn[] = [
  { heading: 'Compared with', kind: 'text', width: 18, of: ({ change }) => change?.against.version ?? null },
  { heading: 'Score change', kind: 'decimal', width: 17, of: ({ change }) => change?.score ?? null },
  { heading: 'Coverage change', kind: 'decimal', width: 20, of: ({ change }) => rounded(change?.coverage) },
  { heading: 'Tests compared', kind: 'text', width: 19, of: ({ comparison }) => comparison },
  { heading: 'New failures', kind: 'count', width: 17, of: ({ change }) => change?.tests?.newFailures.count ?? null },
  { heading: 'Lost tests', kind: 'count', width: 15, of: ({ change }) => change?.tests?.lostTests.count ?? null },
  { heading: 'Flaky tests', kind: 'count', width: 16, of: ({ flaky }) => flaky?.count ?? null },
  { heading: 'Flaky rate %', kind: 'decimal', width: 17, of: ({ flaky }) => percent(flaky?.rate) },
];

export const RELEASE_ID_COLUMN: ReleaseColumn = {
  heading: 'Release id',
  kind: 'id',
  width: 38,
  of: ({ milestoneId }) => milestoneId,
};

/** The columns of the table with one row per release. */
export const RELEASE_COLUMNS: readonly ReleaseColumn[] = [
  ...RELEASE_NAME_COLUMNS,
  ...SCORECARD_COLUMNS,
  ...COMPARISON_COLUMNS,
  { heading: 'Results', kind: 'count', width: 12, of: ({ results }) => results.length },
  { heading: 'Results not listed', kind: 'count', width: 23, of: ({ moreResults }) => moreResults },
  RELEASE_ID_COLUMN,
];

const listed = (items: readonly string[], separator = ', '): string | null =>
  items.length === 0 ? null : items.join(separator);

/** Rounds to a hundredth. */
const rounded = (value: number | null | undefined): number | null =>
  value === null || value === undefined ? null : Math.round(value * 100) / 100;

const percent = (share: number | null | undefined): number | null =>
  share === null || share === undefined ? null : rounded(share * 100);

type Of = TableColumn<QualityResultDto>['of'];

/** Returns a number that CI may have stated, or null if it is not a number. */
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

/** The columns of a result itself. */
export const OWN_RESULT_COLUMNS: readonly TableColumn<QualityResultDto>[] = [
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

/** A result with its release. */
export interface ReleaseResult {
  readonly group: ReleaseGroupDto;
  readonly result: QualityResultDto;
}

/** The columns of the table with one row per result. */
export const RESULT_COLUMNS: readonly TableColumn<ReleaseResult>[] = [
  ...RELEASE_NAME_COLUMNS.map(ofRelease),
  ...OWN_RESULT_COLUMNS.map(({ of, ...column }) => ({ ...column, of: ({ result }: ReleaseResult) => of(result) })),
  ofRelease(RELEASE_ID_COLUMN),
];

function ofRelease({ of, ...column }: TableColumn<ReleaseGroupDto>): TableColumn<ReleaseResult> {
  return { ...column, of: ({ group }) => of(group) };
}
