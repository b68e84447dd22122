/** A measured value, with the sentence or row of docs/performance.md that contains it. */
export interface Measurement {
  readonly value: number;
  readonly unit: string;
  readonly section: string;
  /** A text of that section. A test searches for it. */
  readonly quote: string;
}

/** The measured costs. Seconds are processor time of one core. */
export const MEASURED = {
  gateInNode: { value: 188e-6, unit: 's', section: 'The gate', quote: 'a request costs 188 µs of CPU time' },
  gateInDatabase: { value: 171e-6, unit: 's', section: 'The gate', quote: 'and 171 µs for a single one' },
  deliveryInNode: { value: 247e-6, unit: 's', section: 'The webhook inbox', quote: '247 µs of CPU time in Node' },
  deliveryInDatabase: { value: 207e-6, unit: 's', section: 'The webhook inbox', quote: '207 µs in Postgres' },
  deliveriesOfOnePrimary: {
    value: 3_756,
    unit: '1/s',
    section: 'The webhook inbox',
    quote: '| Shipgate            | 3,756',
  },
  addedJobInDatabase: {
    value: 607e-6,
    unit: 's',
    section: 'The webhook inbox',
    quote: 'adding a job alone costs 607 µs',
  },
  refreshInNode: {
    value: 7.9e-3,
    unit: 's',
    section: 'The most expensive routes',
    quote: 'a release with live refresh        | 7.9',
  },
  uploadInNode: {
    value: 0.333,
    unit: 's',
    section: 'The most expensive routes',
    quote: 'upload of 3 MB of reports          | 333',
  },
  pageInNode: {
    value: 10.8e-3,
    unit: 's',
    section: 'The most expensive routes',
    quote: 'first page of quality              | 10.8',
  },
  pageInDatabase: { value: 4.8e-3, unit: 's', section: 'The lists', quote: '**4.8**' },
  dashboardsInNode: {
    value: 106e-6,
    unit: 's an event',
    section: 'The dashboard',
    quote: '124 ms/s         | 18 ms/s',
  },
  deliveryBytes: { value: 3_900, unit: 'B', section: 'Storage', quote: '| 3.9 kB' },
  decisionBytes: { value: 9_000, unit: 'B', section: 'Storage', quote: '| 9.0 kB' },
  recordBytesOfARelease: { value: 157_000, unit: 'B', section: 'Storage', quote: '| 157 kB' },
  readersOfAProcess: { value: 2_000, unit: '', section: 'Live events', quote: 'connects 2,000 readers' },
} as const satisfies Readonly<Record<string, Measurement>>;

/** A value that cannot be measured before: the activity of a workspace, or the allowed use of a machine. */
export interface Assumption {
  readonly value: number;
  readonly unit: string;
  readonly because: string;
}

/** Each assumption can be set on the command line: `--deliveriesPerDay 300`. */
export const ASSUMED = {
  repositoriesPerWorkspace: { value: 10, unit: '', because: 'a small organization' },
  deliveriesPerDay: {
    value: 150,
    unit: 'a repository',
    because: 'ten pull requests with their pushes, checks and jobs',
  },
  refreshesPerDelivery: {
    value: 0.3,
    unit: '',
    because: 'many deliveries concern no release, and jobs of a release are joined',
  },
  gitHubSecondsPerRefresh: { value: 0.75, unit: 's', because: 'three calls of 250 ms, one after the other' },
  syncSeconds: { value: 900, unit: 's', because: 'SYNC_INTERVAL' },
  gitHubSecondsPerSync: { value: 1, unit: 's', because: 'four conditional calls of 250 ms, one after the other' },
  listingsOfADelivery: {
    value: 3,
    unit: '',
    because: 'each check of REDELIVERY_INTERVAL also lists the ten minutes before',
  },
  tokensPerHour: {
    value: 1,
    unit: 'a repository',
    because: 'a token is for one repository and lasts an hour, and each sync needs one',
  },
  gitHubCallsOfTheApp: {
    value: 5_000,
    unit: 'an hour',
    because: 'the limit of an installation; GitHub documents none for the app itself',
  },
  releasesPerMonth: { value: 4, unit: 'a repository', because: 'one a week' },
  uploadsPerRelease: { value: 20, unit: '', because: 'four jobs, five runs' },
  decisionsPerRelease: {
    value: 25,
    unit: '',
    because: 'each change of a stage, and each gate question that changes something',
  },
  gateRequestsPerRelease: {
    value: 40,
    unit: '',
    because: 'each job of a deployment requests the gate, and waits with further requests',
  },
  usersOnline: { value: 3, unit: 'a workspace', because: 'open dashboards in the busiest hour' },
  pagesPerHour: { value: 30, unit: 'a person', because: 'reads after events, and clicks' },
  busiestHour: { value: 4, unit: 'times the mean', because: 'a working day of eight hours with a peak' },
  uploadBytes: { value: 60_000, unit: 'B', because: 'reports of 600 kB, compressed to a tenth, with their test names' },
  repositoryBytes: { value: 6_000, unit: 'B', because: 'the repository, its facts and its sync' },
  usableShareOfACore: { value: 0.5, unit: '', because: 'the rest is for bursts and for the failure of a process' },
  connectionsOfAProcess: { value: 16, unit: '', because: 'the pool' },
  jobsOfAWorker: { value: 6, unit: '', because: 'the jobs that it runs at a time' },
  connectionsOfAPrimary: { value: 500, unit: '', because: 'each is a process of Postgres' },
  coresOfAPrimary: { value: 32, unit: '', because: 'a large machine that is still easy to get' },
  bytesOfAPrimary: { value: 4e12, unit: 'B', because: 'restored in four hours at 280 MB/s' },
} as const satisfies Readonly<Record<string, Assumption>>;

export type AssumptionName = keyof typeof ASSUMED;
export type Assumptions = Readonly<Record<AssumptionName, number>>;

/** The default value of each assumption. */
export const DEFAULT_ASSUMPTIONS = Object.fromEntries(
  Object.entries(ASSUMED).map(([name, { value }]) => [name, value]),
) as Assumptions;
