import { Clock } from '../../src/config/clock.js';
import { readEnvironment } from '../../src/config/read-environment.js';
import { Database, type TenantTransaction } from '../../src/database/database.js';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { toOrgId } from '../../src/database/ids.js';
import type { Outcome } from '../../src/domain/release/outcome.js';
import { repositoryEligibility } from '../../src/domain/review/eligibility.js';
import { FreshFacts } from '../../src/domain/review/fresh-facts.js';
import { HistoryQueries, type RecordFilter } from '../../src/features/history/history.queries.js';
import { ProjectsQueries } from '../../src/features/projects/projects.queries.js';
import { QualityEvidenceQueries } from '../../src/features/quality/quality-evidence.queries.js';
import { QualityReleasesQueries, parseRelease } from '../../src/features/quality/quality-releases.queries.js';
import { QualitySearchQueries } from '../../src/features/quality/quality-search.queries.js';
import type { QualityFilter } from '../../src/features/quality/quality.dto.js';
import { evaluateQuality } from '../../src/features/quality/release-quality.js';
import { TestComparisonsRepository } from '../../src/features/quality/tests/test-comparisons.repository.js';
import { ReleaseSearchQueries } from '../../src/features/releases/lists/release-search.queries.js';
import { ReleaseSummariesQueries } from '../../src/features/releases/lists/release-summaries.queries.js';
import { ReleasesQueries } from '../../src/features/releases/records/releases.queries.js';
import { RepositoriesQueries } from '../../src/features/repositories/list/repositories.queries.js';
import { WorkflowTemplatesService } from '../../src/features/repositories/workflow-files/workflow-templates.service.js';
import { PendingReviewsQueries } from '../../src/features/reviews/pending-reviews.queries.js';
import { ReviewsQueries } from '../../src/features/reviews/reviews.queries.js';
import type { PageRequest } from '../../src/http/pagination/pagination.dto.js';
import { RepositoriesRepository } from '../../src/workspaces/repositories.repository.js';
import { WorkspacesQueries } from '../../src/workspaces/workspaces.queries.js';
import type { BenchDatabase } from '../measuring/bench-server.js';
import { quantile } from '../measuring/quantile.js';
import { OWN_WORKSPACE, LISTED_REPOSITORY, READS_MOST } from './list-population.js';
import { measurePageTime, recorded, type RecordedStatement, findScans } from './recorded-tx.js';

const PAGE_SIZE = 50;
const TIMES_ALONE = 5;

interface Filter {
  readonly search: string | null;
  readonly outcome: Outcome | null;
}

/** Reads a page and returns the number of all matches. */
type ReadPage = (tx: TenantTransaction, filter: Filter, page: PageRequest) => Promise<number>;

const clock = new Clock();
const environment = readEnvironment({});
const summaries = new ReleaseSummariesQueries(environment);
const active = new ReleaseSearchQueries(summaries);
const repos = new RepositoriesRepository();
const workspaces = new WorkspacesQueries({} as Database);
const projects = new ProjectsQueries();
const history = new HistoryQueries(environment);
const evidenced = new QualitySearchQueries();
const measured = new QualityReleasesQueries(new ReleasesQueries({} as Database), new QualityEvidenceQueries(), clock);
const comparisons = new TestComparisonsRepository();
const reviewFacts = new ReviewsQueries();
const reviews = new PendingReviewsQueries();

const readDashboard: ReadPage = async (tx, filter, page) => {
  const { counts } = await active.readActivePage(tx, { ...filter, order: 'updated' }, page, clock.now());
  return counts[filter.outcome ?? 'all'];
};

const readByUrgency: ReadPage = async (tx, filter, page) => {
  const { counts } = await active.readActivePage(tx, { ...filter, order: 'urgency' }, page, clock.now());
  return counts[filter.outcome ?? 'all'];
};

const readByRepository: ReadPage = async (tx, filter, page) => {
  const { counts } = await active.readActivePage(tx, { ...filter, order: 'repository' }, page, clock.now());
  return counts[filter.outcome ?? 'all'];
};

const readReleases: ReadPage = async (tx, { search }, page) => {
  const repository = await repos.findByName(tx, `${OWN_WORKSPACE.login}/${LISTED_REPOSITORY}`);
  const { ids, total } = await active.findNewestFirst(tx, repository?.id ?? '', search, page);
  await summaries.list(tx, ids, clock.now());
  return total;
};

const readRepositories =
  (list: RepositoriesQueries): ReadPage =>
  async (tx, { search }, page) => {
    await list.countByCircumstances(tx, search);
    const { ids, total } = await list.find(tx, { search, circumstances: null, among: null }, page);
    const { writesWorkflows } = await workspaces.getPermissions(tx);
    await list.list(tx, ids, { setup: !writesWorkflows, protection: () => false });
    return total;
  };

const readProjects: ReadPage = async (tx, { search }, page) => {
  const now = clock.now();
  const { ids, total } = await projects.find(tx, { org: null, search }, page);
  const inForce = await summaries.listActiveFreezes(tx, now);
  const { staleReleaseIds } = await projects.listDated(tx, ids, { freezes: inForce, now });
  await summaries.listDated(tx, staleReleaseIds, inForce, now);
  return total;
};

const readHistory: ReadPage = async (tx, { search }, page) => {
  const days = { from: null, to: null };
  const { ids, total } =
    search === null
      ? await history.findOfAny(tx, days, page)
      : await history.find(tx, await toRecordFilter(tx, search), page);
  await history.list(tx, ids);
  return total;
};

/** The filter by a kind, a repository, or a part of a version. */
const toRecordFilter = async (tx: TenantTransaction, search: string): Promise<RecordFilter> => {
  const any = { repositoryIds: null, from: null, to: null, kind: null, environment: null, search: null };
  const recorded = await history.listRepositories(tx);
  if (search === 'ungoverned') return { ...any, kind: search };
  const repositoryIds = recorded.filter(({ name }) => name === search).map(({ id }) => id);
  return search.includes('/')
    ? { ...any, repositoryIds }
    : { ...any, search: { term: search, version: '', repositoryIds } };
};

const ANY: QualityFilter = { owner: null, repo: null, milestone: null, type: null, environment: null };
const QUALITY_FILTERS: Readonly<Record<string, QualityFilter>> = {
  [LISTED_REPOSITORY]: { ...ANY, repo: LISTED_REPOSITORY },
  'v1.4.0': { ...ANY, milestone: 'v1.4.0' },
  'coverage in staging': { ...ANY, type: 'coverage', environment: 'staging' },
};

const readQuality: ReadPage = async (tx, { search }, page) => {
  const { ids, total } = await evidenced.find(tx, QUALITY_FILTERS[search ?? ''] ?? ANY, page);
  (await measured.list(tx, ids)).map(parseRelease).forEach(evaluateQuality);
  await comparisons.list(tx, ids);
  await evidenced.listFilterOptions(tx);
  return total;
};

const readReviews: ReadPage = async (tx, { search, outcome }, page) => {
  const now = clock.now();
  const reviewer = { userId: READS_MOST, login: `person-${READS_MOST}` };
  const facts = await reviewFacts.listSharedReviewerFacts(tx, reviewer, now);
  const eligibilities = new Map(
    [...facts].map(([id, known]) => [id, repositoryEligibility(reviewer, new FreshFacts(known, now))]),
  );
  const scope = outcome === null ? 'workspace' : 'mine';
  const { ids, total } = await reviews.find(
    tx,
    { scope, eligibility: null, search, userId: READS_MOST, eligibilities, now },
    page,
  );
  const releases = await reviewFacts.listReleases(tx, ids);
  const lacking = releases.filter(({ repositoryId }) => eligibilities.get(repositoryId)?.lacks !== null);
  await reviewFacts.listReviewerFacts(tx, reviewer, [...new Set(lacking.map(({ repositoryId }) => repositoryId))]);
  return total;
};

/** Returns every list with its filters. */
const createLists = (): readonly (readonly [string, ReadPage, readonly Filter[]])[] => {
  const none = { search: null, outcome: null };
  return [
    [
      'dashboard',
      readDashboard,
      [
        none,
        { ...none, outcome: 'blocked' },
        { ...none, search: 'service-1' },
        { ...none, search: 'v1.4' },
        { search: 'v1.4', outcome: 'ready_to_deploy' },
      ],
    ],
    ['dashboard, by urgency', readByUrgency, [none, { ...none, search: 'v1.4' }]],
    ['dashboard, by repository', readByRepository, [none]],
    [
      'projects',
      readProjects,
      [none, { ...none, search: 'project 1' }, { ...none, search: 'service-1' }, { ...none, search: 'v1.4' }],
    ],
    // Releases that need an approval are those that the user can approve now.
    ['reviews', readReviews, [none, { ...none, outcome: 'needs_approval' }, { ...none, search: 'v1.4' }]],
    [
      'history',
      readHistory,
      [
        none,
        { ...none, search: `${OWN_WORKSPACE.login}/${LISTED_REPOSITORY}` },
        { ...none, search: 'ungoverned' },
        { ...none, search: 'v1.4' },
      ],
    ],
    ['quality', readQuality, [none, ...Object.keys(QUALITY_FILTERS).map((search) => ({ ...none, search }))]],
    ['releases of a repository', readReleases, [none, { ...none, search: 'v1.4' }]],
    [
      'repositories',
      readRepositories(new RepositoriesQueries(new WorkflowTemplatesService(environment), environment)),
      [none, { ...none, search: 'service-1' }],
    ],
  ];
};

/** Measures the first, a middle and the last page of each list with row-level security of a user. */
export async function measureInDatabase({ runtimeUrl, superuserUrl }: BenchDatabase, times: number): Promise<void> {
  const orgId = await withDedicatedClient(superuserUrl, async (client) => {
    const { rows } = await client.query<{ id: string }>(`select ${OWN_WORKSPACE.orgId} as id`);
    return toOrgId(rows[0]?.id ?? '');
  });
  const database = await Database.open({ url: runtimeUrl, poolSize: 1 });
  try {
    for (const [name, read, filters] of createLists()) {
      for (const filter of filters) {
        await database.asViewer({ orgId, userId: READS_MOST }, (tx) => measure(tx, name, read, filter, times));
      }
    }
  } finally {
    await database.close();
  }
}

async function measure(
  tx: TenantTransaction,
  name: string,
  read: ReadPage,
  filter: Filter,
  times: number,
): Promise<void> {
  const total = await read(tx, filter, { page: 1, pageSize: PAGE_SIZE });
  const last = Math.max(1, Math.ceil(total / PAGE_SIZE));
  const filterText = [filter.search === null ? '' : `"${filter.search}"`, filter.outcome ?? '']
    .filter(Boolean)
    .join(', ');
  for (const page of new Set([1, Math.min(100, Math.ceil(last / 2)), last])) {
    const latencies: number[] = [];
    for (let time = 0; time < times; time += 1) {
      const { tx: recording, statements } = recorded(tx);
      await read(recording, filter, { page, pageSize: PAGE_SIZE });
      latencies.push(statements.reduce((sum, { ms }) => sum + ms, 0));
    }
    latencies.sort((one, other) => one - other);
    const alone = await timeAlone(tx, read, filter, { page, pageSize: PAGE_SIZE });
    const [p50, p99] = [quantile(latencies, 0.5), quantile(latencies, 0.99)].map((ms) => ms.toFixed(2).padStart(8));
    console.log(
      `${name.padEnd(25)} ${(filterText || 'all').padEnd(24)} ${String(total).padStart(7)} ${`${page}/${last}`.padStart(9)} ${p50} ${p99} ${alone}`,
    );
  }
  if (filter.search !== null || filter.outcome !== null) return;
  const found = await findPageStatement(tx, read, filter, { page: 1, pageSize: PAGE_SIZE });
  for (const scan of found ? await findScans(tx, found) : []) console.log(`    ${scan}`);
}

/** Finds the statement that selects a page and its counts. */
async function findPageStatement(
  tx: TenantTransaction,
  read: ReadPage,
  filter: Filter,
  page: PageRequest,
): Promise<RecordedStatement | undefined> {
  const { tx: recording, statements } = recorded(tx);
  await read(recording, filter, page);
  return statements.find(({ sql }) => /\barray\(\s*select/.test(sql));
}

/** Returns the minimum time of the page without the counts. */
async function timeAlone(tx: TenantTransaction, read: ReadPage, filter: Filter, page: PageRequest): Promise<string> {
  const finding = await findPageStatement(tx, read, filter, page);
  const times: number[] = [];
  if (!finding) return '';
  for (let time = 0; time < TIMES_ALONE; time += 1) {
    const found = await measurePageTime(tx, finding);
    if (found !== null) times.push(found);
  }
  return (times.length === 0 ? '' : Math.min(...times).toFixed(2)).padStart(8);
}

export const DATABASE_HEADING = `${'list'.padEnd(25)} ${'filter'.padEnd(24)} ${'rows'.padStart(7)} ${'page'.padStart(9)} ${'p50 ms'.padStart(8)} ${'p99 ms'.padStart(8)} ${'alone ms'.padStart(8)}`;
