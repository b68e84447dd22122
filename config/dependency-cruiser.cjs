/** The import directions of `docs/architecture.md`, as rules. */

const packages = (...names) => `node_modules/(${names.join('|')})(/|$)`;

const TESTS = '\\.(e2e-)?spec\\.ts$';
/** Files that may import the driver: by their name, or by their folder. Statements need only a `TenantTransaction`, see ADR 0004. */
const PERSISTENCE =
  '\\.(repository|queries)\\.ts$|^src/(database|jobs)/|^src/features/event-stream/notification-listener\\.ts$|^migrations/';
/** The files of a feature that another feature may import. A type may be imported from any file of a feature. */
const FEATURE_EXPORTS = '\\.(module|service|repository|queries|dto|errors)\\.ts$';

/** The folders of `src/`, bottom first, each with the other folders that it may import. */
const ROOMS = {
  config: [],
  domain: [],
  concurrency: ['config'],
  crypto: ['config', 'domain'],
  // The parser of `sdlc.yaml`, which the service and the command line share.
  'policy-document': ['crypto', 'domain'],
  // The only folder that uses Sigstore's libraries.
  provenance: ['domain'],
  database: ['config', 'domain'],
  events: ['config', 'database'],
  observability: ['config', 'concurrency'],
  export: ['observability'],
  // It returns its own types and those of the domain. Other folders decide how to use them.
  github: ['config', 'concurrency', 'crypto', 'domain', 'observability'],
  http: ['config', 'concurrency', 'crypto', 'database', 'observability', 'github'],
  // The only client for addresses that users or other services chose.
  outgoing: ['config', 'http'],
  jobs: ['config', 'concurrency', 'crypto', 'database', 'domain', 'observability'],
  workspaces: ['config', 'database', 'domain', 'events', 'github', 'http'],
  auth: ['concurrency', 'config', 'crypto', 'database', 'domain', 'http', 'observability', 'workspaces'],
};
// Features may import every folder above. Only `server` and `cli` import features.
ROOMS.features = Object.keys(ROOMS);
ROOMS.server = Object.keys(ROOMS);
ROOMS.cli = Object.keys(ROOMS);
// The command line `shipgate` and the actions, which run in the CI of users.
// It reads reports in a dry run with the readers of the service.
ROOMS.client = ['crypto', 'domain', 'policy-document', 'features/evidence/(formats|parsing)'];

/** The features, bottom first, each with those that it may import. */
const FEATURES = {
  audit: [],
  signing: [],
  policy: ['audit'],
  'event-stream': [],
  web: [],
  accounts: ['audit'],
  keys: ['accounts', 'audit'],
  team: ['accounts', 'audit'],
  releases: ['accounts', 'audit', 'policy'],
  evidence: ['releases'],
  billing: ['accounts', 'audit', 'evidence', 'releases'],
  artifacts: ['audit', 'evidence', 'releases'],
  operations: ['billing', 'evidence'],
  'deployment-holds': ['releases'],
  history: ['accounts', 'audit', 'releases'],
  overrides: ['accounts', 'audit', 'releases'],
  projects: ['releases'],
  statements: ['releases', 'signing'],
  repositories: ['audit', 'policy', 'releases'],
  reviews: ['accounts', 'evidence', 'quality', 'releases', 'signing'],
  'audit-pack': ['evidence', 'history', 'releases', 'signing'],
  quality: ['evidence', 'releases'],
  search: ['accounts', 'history', 'releases'],
  sync: ['audit', 'deployment-holds', 'releases', 'repositories'],
  mcp: ['artifacts', 'audit-pack', 'history', 'quality', 'releases', 'reviews', 'sync'],
  setup: ['accounts', 'audit', 'signing', 'sync'],
  webhooks: ['accounts', 'deployment-holds', 'releases', 'repositories', 'sync'],
};

/** The folders of the dashboard, bottom first, each with those that it may import besides itself. */
const WEB_ROOMS = {
  api: [],
  texts: ['api'],
  live: ['api'],
  ui: ['api', 'texts'],
  'release-ui': ['api', 'texts', 'ui'],
  features: ['api', 'texts', 'live', 'ui', 'release-ui'],
  app: ['api', 'texts', 'live', 'ui', 'release-ui', 'features'],
};

/** The subfolders of a folder, bottom first: each may import those before it, and the files of the folder itself but its module. */
const SUBFOLDERS = {
  'src/domain/': [
    [
      'checksum',
      'audit',
      'evidence',
      'policy',
      'facts',
      'quality',
      'artifact',
      'override',
      'review',
      'release',
      'statement',
      'history',
      'repository',
      'audit-pack',
      'billing',
      'keys',
    ],
  ],
  'src/database/': [['embedded', 'dump', 'erasure']],
  'src/http/': [['errors', 'rate-limit', 'body', 'pagination', 'validation']],
  'src/auth/': [['oidc'], ['session']],
  'src/github/': [['transport', 'api']],
  'src/features/accounts/': [['users', 'members', 'sign-in']],
  'src/features/evidence/': [['formats', 'parsing', 'storage', 'runs', 'upload']],
  'src/features/history/': [['deployments', 'reports', 'running']],
  'src/features/quality/': [['tests', 'export']],
  'src/features/releases/': [
    [
      'facts',
      'records',
      'discovery',
      'evaluation',
      'gate',
      'scope',
      'decisions',
      'lists',
      'shipping',
      'environments',
      'details',
      'actions',
    ],
  ],
  'src/features/repositories/': [
    [
      'tokens',
      'setup-state',
      'workflow-files',
      'warnings',
      'list',
      'rulesets',
      'protection-rule',
      'tampering',
      'merge-check',
      'bootstrap',
    ],
  ],
  'src/features/web/': [['cli'], ['dashboard'], ['api-docs']],
  'src/cli/': [['backup'], ['setup'], ['commands', 'doctor']],
  'src/client/': [['service', 'upload', 'verify-pack', 'verify-statement', 'commands', 'action']],
};

const layer = (base, name, allowed) => ({
  name: `${base.replace('src/', '')}${name}-imports`,
  comment: 'Folders import each other in one direction; see `docs/architecture.md`.',
  severity: 'error',
  from: { path: `^${base}${name}/`, pathNot: TESTS },
  to: { path: `^${base}[^/]+/`, pathNot: `^${base}(${[name, ...allowed].join('|')})/` },
});

const layerRules = [
  ...Object.entries(ROOMS).map(([room, allowed]) => layer('src/', room, allowed)),
  ...Object.entries(FEATURES).map(([feature, allowed]) => layer('src/features/', feature, allowed)),
  ...Object.entries(WEB_ROOMS).map(([room, allowed]) => layer('web/src/', room, allowed)),
  ...Object.entries(SUBFOLDERS).flatMap(([base, groups]) =>
    groups.flatMap((folders) => folders.map((folder, at) => layer(base, folder, folders.slice(0, at)))),
  ),
  {
    name: 'subfolders-do-not-import-the-module',
    severity: 'error',
    from: { path: '^src/features/([^/]+)/[^/]+/', pathNot: TESTS },
    to: { path: '^src/features/$1/[^/]+\\.module\\.ts$' },
  },
  {
    name: 'every-folder-is-listed',
    comment: 'A new folder needs an entry in `ROOMS` or `FEATURES` with the folders that it may import.',
    severity: 'error',
    from: {
      path: '^src/(features/)?[^/]+/',
      pathNot: [
        `^src/(${Object.keys(ROOMS)
          .filter((room) => room !== 'features')
          .join('|')})/`,
        `^src/features/(${Object.keys(FEATURES).join('|')})/`,
        TESTS,
      ],
    },
    to: {},
  },
  ...Object.entries(SUBFOLDERS).map(([base, groups]) => ({
    name: `every-subfolder-of-${base.replace('src/', '')}is-listed`,
    comment: 'A new subfolder needs an entry in `SUBFOLDERS`.',
    severity: 'error',
    from: { path: `^${base}[^/]+/`, pathNot: [`^${base}(${groups.flat().join('|')})/`, TESTS] },
    to: {},
  })),
];

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'domain-is-pure',
      comment: 'Rules import only other rules: no framework, no database, no clock, no module of Node.',
      severity: 'error',
      from: { path: '^src/domain/', pathNot: TESTS },
      to: { pathNot: '^src/domain/' },
    },
    {
      name: 'domain-specs-need-no-service',
      comment: 'The spec of a rule needs only facts and the test tools, not the service.',
      severity: 'error',
      from: { path: `^src/domain/.*${TESTS}` },
      to: {
        pathNot: ['^src/domain/', '^test/support/', packages('@jest', 'fast-check')],
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'controllers-call-services',
      comment:
        'A controller declares access, validates, calls a service and maps the result. It neither stores nor reads data itself.',
      severity: 'error',
      from: { path: '\\.controller\\.ts$' },
      to: {
        path: '\\.(repository|queries)\\.ts$|^src/(database|github|jobs)/',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'services-do-not-call-controllers',
      severity: 'error',
      from: { path: '^src/', pathNot: ['\\.module\\.ts$', TESTS] },
      to: { path: '\\.controller\\.ts$' },
    },
    {
      name: 'only-persistence-knows-the-driver',
      comment: 'Only the files of `PERSISTENCE` use connections, entities and errors of the driver.',
      severity: 'error',
      from: { path: '^src/', pathNot: [PERSISTENCE, TESTS] },
      to: { path: packages('typeorm', '@nestjs/typeorm', 'pg', 'pg-pool') },
    },
    {
      name: 'only-jobs-know-the-queue',
      comment:
        'Exceptions: `database/migrate.ts` runs the migrations of the queue, and types may be imported anywhere.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/jobs/', '^src/database/migrate\\.ts$', TESTS] },
      to: { path: packages('graphile-worker'), dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'only-the-gateway-knows-octokit',
      severity: 'error',
      from: { path: '^(src|bench)/', pathNot: ['^src/github/', TESTS] },
      to: { path: packages('@octokit', 'octokit') },
    },
    {
      name: 'dto-stays-in-its-feature',
      comment: 'A response shape is stated once, in a DTO; services and queries of its feature return it.',
      severity: 'error',
      from: { path: '^src/features/([^/]+)/', pathNot: ['\\.(dto|tool)\\.ts$', TESTS] },
      to: { path: '^src/features/.*\\.dto\\.ts$', pathNot: '^src/features/$1/' },
    },
    {
      name: 'entity-stays-at-the-repository',
      comment: 'An entity is a row. Services and controllers see the types that a repository returns.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['\\.(repository|queries)\\.ts$', '^src/database/', TESTS] },
      to: { path: '^src/database/entities\\.ts$' },
    },
    {
      name: 'features-use-exports-only',
      comment: 'A feature imports only the exported kinds of files of another feature; see `FEATURE_EXPORTS`.',
      severity: 'error',
      from: { path: '^src/features/([^/]+)/', pathNot: TESTS },
      to: {
        path: '^src/features/',
        pathNot: ['^src/features/$1/', FEATURE_EXPORTS],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'screens-do-not-import-each-other',
      comment: 'Code that two features of the dashboard need belongs to `release-ui` or `ui`.',
      severity: 'error',
      from: { path: '^web/src/features/([^/]+)/', pathNot: TESTS },
      to: { path: '^web/src/features/', pathNot: '^web/src/features/$1/' },
    },
    {
      name: 'dashboard-knows-the-api-only',
      comment:
        'The browser and the service share no code; the types of the API are generated. Exception: the catalogue of conditions, which contains the texts of the dashboard.',
      severity: 'error',
      from: { path: '^web/' },
      to: { path: '^(src|migrations|test|bench)/', pathNot: '^src/domain/facts/condition-catalogue\\.ts$' },
    },
    {
      name: 'service-does-not-import-the-dashboard',
      severity: 'error',
      from: { path: '^(src|migrations|bench)/' },
      to: { path: '^web/' },
    },
    ...layerRules,
    {
      name: 'no-circular',
      comment:
        'This includes imports of types. Merge two files that need each other, or move the shared part to a third.',
      severity: 'error',
      from: { path: '^(src|migrations|bench|web)/' },
      to: { circular: true },
    },
    {
      name: 'no-circular-loading-in-tests',
      comment:
        'The classes of the simulated GitHub refer to each other by type, which is allowed. Modules must not load in a circle.',
      severity: 'error',
      from: { path: '^test/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'src-never-imports-test',
      severity: 'error',
      from: { path: '^(src|migrations)/', pathNot: TESTS },
      to: { path: '^(test|bench)/' },
    },
    {
      name: 'demo-imports-simulator-only',
      comment:
        'The demo uses the service as a CI run and a reviewer do. Of our own code it may use only the simulated GitHub, the client of a CI run, the build service of the tests and the clock. One file starts the service with another clock.',
      severity: 'error',
      from: { path: '^test/demo/', pathNot: `${TESTS}|^test/demo/past-service\\.ts$` },
      to: {
        path: '^(src|migrations|bench|test)/',
        pathNot:
          '^test/(demo|github-sim)/|^test/support/(ci-run-client|sigstore-instance)\\.ts$|^src/config/clock\\.ts$',
      },
    },
    {
      name: 'simulator-is-independent',
      comment: 'The simulated GitHub must be able to contradict the service, so it shares only the clock with it.',
      severity: 'error',
      from: { path: '^test/github-sim/', pathNot: TESTS },
      to: { path: '^(src|migrations|bench|test)/', pathNot: '^test/github-sim/|^src/config/clock\\.ts$' },
    },
    {
      name: 'client-needs-no-service',
      comment: 'The client is bundled into one file, which must not contain the service.',
      severity: 'error',
      from: { path: '^src/client/', pathNot: TESTS },
      to: { path: packages('@nestjs', 'fastify', 'typeorm', 'pg'), reachable: true },
    },
    {
      name: 'no-development-package-in-production',
      comment: 'The client is bundled with its packages.',
      severity: 'error',
      from: { path: '^(src|migrations)/', pathNot: [TESTS, '^src/client/'] },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json', '.d.ts'],
      // Packages that contain only types have no other entry.
      mainFields: ['module', 'main', 'types', 'typings'],
    },
  },
};
