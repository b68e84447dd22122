import type { CategoryName } from '../../../domain/quality/score-category.js';
import type { ReleaseGroup } from '../release-group.js';
import type { TableColumn } from './table-column.js';

type ReleaseColumn = TableColumn<ReleaseGroup>;

const scoreOf =
  (category: CategoryName) =>
  ({ scorecard }: ReleaseGroup): number | null =>
    scorecard.categories.find(({ name }) => name === category)?.score ?? null;

/** By which a release is known, and what it is worth in one number. */
export const RELEASE_NAME_COLUMNS: readonly ReleaseColumn[] = [
  { heading: 'Organization', kind: 'text', width: 18, of: ({ org }) => org },
  { heading: 'Repository', kind: 'text', width: 26, of: ({ repo }) => repo },
  { heading: 'Version', kind: 'text', width: 16, of: ({ version }) => version },
  { heading: 'Stage', kind: 'text', width: 15, of: ({ stage }) => stage },
  { heading: 'Score', kind: 'decimal', width: 10, of: ({ scorecard }) => scorecard.score },
  { heading: 'Grade', kind: 'text', width: 10, of: ({ scorecard }) => scorecard.grade },
];

/** What its scorecard is made of. */
export const SCORECARD_COLUMNS: readonly ReleaseColumn[] = [
  { heading: 'Tests score', kind: 'decimal', width: 16, of: scoreOf('tests') },
  { heading: 'Coverage score', kind: 'decimal', width: 19, of: scoreOf('coverage') },
  { heading: 'SAST score', kind: 'decimal', width: 15, of: scoreOf('sast') },
  { heading: 'Vulnerabilities score', kind: 'decimal', width: 26, of: scoreOf('vulnerabilities') },
  { heading: 'Completeness score', kind: 'decimal', width: 23, of: scoreOf('completeness') },
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

/** How it compares, and what of it flickers. */
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

/** One row for each release. */
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

/** To a hundredth. */
const rounded = (value: number | null | undefined): number | null =>
  value === null || value === undefined ? null : Math.round(value * 100) / 100;

const percent = (share: number | null | undefined): number | null =>
  share === null || share === undefined ? null : rounded(share * 100);
