import { MEASURED, type Assumptions } from './inputs.js';

const SECONDS_OF_A_DAY = 86_400;
const DAYS_OF_A_MONTH = 30;
const DAYS_OF_A_YEAR = 365;
const DAYS_OF_A_DELIVERY = 8;
const ITEMS_OF_A_PAGE = 100;
/** The minimum number of processes of a kind, because one process may fail. */
const FEWEST_PROCESSES = 2;
const REPORT_BYTES_OF_THE_MEASURED_UPLOAD = 3_000_000;

/** Names of costs with their amounts. */
export type Shares = Readonly<Record<string, number>>;

/** A resource with the needed and the available amount. */
export interface Limit {
  readonly resource: string;
  readonly needed: number;
  readonly available: number;
  /** The number of repositories at which the resource is used up. */
  readonly repositories: number;
  readonly movedBy: string;
}

/** The needs of a number of repositories. */
export interface Needs {
  readonly repositories: number;
  readonly workspaces: number;
  /** Per second in the busiest hour. */
  readonly load: Shares;
  readonly eventReaders: number;
  readonly webProcesses: number;
  readonly workerProcesses: number;
  readonly connections: number;
  /** Cores in use in the busiest hour, by cause. */
  readonly nodeCores: Shares;
  readonly databaseCores: Shares;
  /** Bytes after a year, by table. */
  readonly databaseBytes: Shares;
}

export const sum = (shares: Shares): number => Object.values(shares).reduce((total, share) => total + share, 0);

const product = (left: Shares, right: Shares): Shares =>
  Object.fromEntries(Object.entries(right).map(([name, cost]) => [name, cost * (left[name] ?? 0)]));

export function estimate(repositories: number, assumed: Assumptions): Needs {
  const workspaces = repositories / assumed.repositoriesPerWorkspace;
  const load = estimateLoad(repositories, workspaces, assumed);
  const readers = workspaces * assumed.usersOnline;

  const web = product(load, {
    'gate requests': MEASURED.gateInNode.value,
    deliveries: MEASURED.deliveryInNode.value,
    uploads: uploadSeconds(assumed),
    pages: MEASURED.pageInNode.value,
    events: MEASURED.dashboardsInNode.value * assumed.usersOnline,
  });
  // A sync reads a repository like a refresh, and mostly finds no change.
  const worker = product(load, { refreshes: MEASURED.refreshInNode.value, syncs: MEASURED.refreshInNode.value });
  const databaseCores = product(load, {
    'gate requests': MEASURED.gateInDatabase.value,
    deliveries: MEASURED.deliveryInDatabase.value,
    // A job is added and removed, and reads and writes about as much as a page reads.
    refreshes: MEASURED.addedJobInDatabase.value * 2 + MEASURED.pageInDatabase.value,
    syncs: MEASURED.addedJobInDatabase.value * 2 + MEASURED.pageInDatabase.value,
    uploads: MEASURED.pageInDatabase.value,
    pages: MEASURED.pageInDatabase.value,
  });

  const webProcesses = Math.max(
    FEWEST_PROCESSES,
    Math.ceil(sum(web) / assumed.usableShareOfACore),
    Math.ceil(readers / MEASURED.readersOfAProcess.value),
  );
  const jobsUnderWay = sum(
    product(load, { refreshes: assumed.gitHubSecondsPerRefresh, syncs: assumed.gitHubSecondsPerSync }),
  );
  const workerProcesses = Math.max(
    FEWEST_PROCESSES,
    Math.ceil(sum(worker) / assumed.usableShareOfACore),
    Math.ceil(jobsUnderWay / (assumed.jobsOfAWorker * assumed.usableShareOfACore)),
  );
  return {
    repositories,
    workspaces,
    load,
    eventReaders: readers,
    webProcesses,
    workerProcesses,
    connections: (webProcesses + workerProcesses) * assumed.connectionsOfAProcess,
    nodeCores: { ...web, ...worker },
    databaseCores,
    databaseBytes: bytesAfterAYear(repositories, assumed),
  };
}

/** Returns the limits of one primary without a pooler, the first reached limit first. */
export function estimateLimits(repositories: number, assumed: Assumptions): readonly Limit[] {
  const limit = (resource: string, need: (of: Needs) => number, available: number, movedBy: string): Limit => ({
    resource,
    needed: need(estimate(repositories, assumed)),
    available,
    repositories: mostRepositories((count) => need(estimate(count, assumed)) <= available),
    movedBy,
  });
  return [
    limit(
      'connections of the primary',
      ({ connections }) => connections,
      assumed.connectionsOfAPrimary,
      'PgBouncer in transaction mode, with DATABASE_DIRECT_URL for work that needs a session',
    ),
    limit(
      'cores of the primary',
      ({ databaseCores }) => sum(databaseCores) / assumed.usableShareOfACore,
      assumed.coresOfAPrimary,
      'a read replica for exports and whole lists, then more primaries, divided by org_id',
    ),
    limit(
      'bytes of the primary',
      ({ databaseBytes }) => sum(databaseBytes),
      assumed.bytesOfAPrimary,
      'STORAGE_URL for report files, shorter retention, then more primaries, divided by org_id',
    ),
    limit(
      'deliveries written to one log',
      ({ load }) => load['deliveries'] ?? 0,
      MEASURED.deliveriesOfOnePrimary.value * assumed.usableShareOfACore,
      'a faster disk, then more primaries, divided by org_id',
    ),
    limit(
      'calls of the app itself to GitHub in an hour',
      ({ repositories, load, workspaces }) =>
        repositories * assumed.tokensPerHour +
        ((load['deliveries'] ?? 0) * 3_600 * assumed.listingsOfADelivery) / ITEMS_OF_A_PAGE +
        (workspaces / ITEMS_OF_A_PAGE) * (3_600 / assumed.syncSeconds),
      assumed.gitHubCallsOfTheApp,
      'tokens for several repositories, a longer REDELIVERY_INTERVAL, an app for each group of workspaces',
    ),
  ].toSorted((left, right) => left.repositories - right.repositories);
}

/** Returns the largest number that fits, by binary search. A ratio would be wrong, because some processes run for any number. */
function mostRepositories(fits: (repositories: number) => boolean): number {
  let [low, high] = [0, 1];
  while (fits(high)) [low, high] = [high, high * 2];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

function estimateLoad(repositories: number, workspaces: number, assumed: Assumptions): Shares {
  const perSecond = (perDay: number): number => (repositories * perDay * assumed.busiestHour) / SECONDS_OF_A_DAY;
  const releasesPerDay = assumed.releasesPerMonth / DAYS_OF_A_MONTH;
  const refreshes = perSecond(assumed.deliveriesPerDay * assumed.refreshesPerDelivery);
  return {
    deliveries: perSecond(assumed.deliveriesPerDay),
    refreshes,
    syncs: repositories / assumed.syncSeconds,
    'gate requests': perSecond(releasesPerDay * assumed.gateRequestsPerRelease),
    uploads: perSecond(releasesPerDay * assumed.uploadsPerRelease),
    pages: (workspaces * assumed.usersOnline * assumed.pagesPerHour) / 3_600,
    events: refreshes,
  };
}

/** The measured upload has 3 MB of reports, and the time grows with the size. Stored reports have a tenth of their size. */
const uploadSeconds = ({ uploadBytes }: Assumptions): number =>
  (MEASURED.uploadInNode.value * uploadBytes * 10) / REPORT_BYTES_OF_THE_MEASURED_UPLOAD;

function bytesAfterAYear(repositories: number, assumed: Assumptions): Shares {
  const releases = (repositories * assumed.releasesPerMonth * DAYS_OF_A_YEAR) / DAYS_OF_A_MONTH;
  return {
    decisions: releases * assumed.decisionsPerRelease * MEASURED.decisionBytes.value,
    'report files': releases * assumed.uploadsPerRelease * assumed.uploadBytes,
    'releases and their records': releases * MEASURED.recordBytesOfARelease.value,
    'deliveries of eight days':
      repositories * assumed.deliveriesPerDay * DAYS_OF_A_DELIVERY * MEASURED.deliveryBytes.value,
    repositories: repositories * assumed.repositoryBytes,
  };
}

/** Returns the verdict on a number of repositories as one sentence: whether they fit on one primary, and what comes first. */
export function writeVerdict(repositories: number, assumed: Assumptions): string {
  const [first] = estimateLimits(repositories, assumed);
  const { webProcesses, workerProcesses, connections } = estimate(repositories, assumed);
  const count = (value: number): string => Math.round(value).toLocaleString('en');
  const needs = `${count(webProcesses)} web processes, ${count(workerProcesses)} workers and ${count(connections)} connections`;
  if (first === undefined) return `${count(repositories)} repositories fit: they need ${needs}.`;
  const limit = `the ${first.resource}, enough for ${count(first.repositories)} repositories`;
  return repositories <= first.repositories
    ? `${count(repositories)} repositories fit: they need ${needs}. The first limit is ${limit}.`
    : `${count(repositories)} repositories do not fit as they are: the first limit is ${limit}. It is moved by ${first.movedBy}. Without it they need ${needs}.`;
}
