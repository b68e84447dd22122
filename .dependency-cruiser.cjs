/** The direction of `docs/architecture.md`, as rules: a drawing that nothing checks is soon a drawing of another house. */

const packages = (...names) => `node_modules/(${names.join('|')})(/|$)`;

const TESTS = '\\.(e2e-)?spec\\.ts$';
/** Who speaks SQL: named so, or of a room whose noun is the database's. */
const PERSISTENCE = '\\.(repository|reader|recorder|entity)\\.ts$|^src/(database|jobs)/|^migrations/';
/**
 * The doors of a feature. A record is a type without behaviour; `types-only` below holds others to that. A shape of the
 * interface may be part of another feature's: `dto-stays-at-the-controller` says who may know it.
 */
const DOORS = '\\.(module|service|reader|recorder|dto)\\.ts$';

/** Time, digests, the environment and the rules: what everything else stands on. */
const GROUND = ['clock', 'config', 'digest', 'domain'];
/**
 * The rooms from the ground up, each with those that it may know besides itself. They are ordered so that each names
 * earlier ones only, and so no two rooms know each other. What is the root's own (`src/*.ts`) is known to `cli/` alone.
 */
const ROOMS = {
  clock: [],
  config: [],
  digest: [],
  domain: [],
  markup: [],
  custody: ['config'],
  lifecycle: [],
  database: [],
  observability: ['config'],
  // It answers in types of its own and of the domain; what becomes of an answer is for others.
  github: [...GROUND, 'markup'],
  jobs: [...GROUND, 'database', 'observability'],
  workspaces: [...GROUND, 'database'],
  http: [...GROUND, 'database', 'observability'],
  auth: [...GROUND, 'database', 'observability', 'workspaces', 'http'],
  // A feature may be taken out without a room noticing.
  features: [
    ...GROUND,
    'markup',
    'custody',
    'database',
    'observability',
    'github',
    'jobs',
    'workspaces',
    'http',
    'auth',
  ],
};

const roomRules = Object.entries(ROOMS).map(([room, known]) => ({
  name: `${room}-knows-only-what-it-stands-on`,
  comment: 'Rooms stand on each other in one direction; `docs/architecture.md` draws it.',
  severity: 'error',
  from: { path: `^src/${room}/`, pathNot: TESTS },
  to: { path: '^src/', pathNot: `^src/(${[room, ...known].join('|')})/` },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'domain-is-pure',
      comment: 'Rules know rules only: no framework, no database, no clock, not even a module of Node.',
      severity: 'error',
      from: { path: '^src/domain/', pathNot: TESTS },
      to: { pathNot: '^src/domain/' },
    },
    {
      name: 'domain-specs-need-no-service',
      comment: 'What a rule promises is told with facts alone; its specs may use the test tools besides.',
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
        'A controller declares access, validates, calls and maps; how things are kept or read is not its business.',
      severity: 'error',
      from: { path: '\\.controller\\.ts$' },
      to: { path: '\\.(repository|reader|recorder|entity)\\.ts$|^src/(database|github|jobs)/' },
    },
    {
      name: 'services-do-not-call-controllers',
      severity: 'error',
      from: { path: '^src/', pathNot: ['\\.module\\.ts$', TESTS] },
      to: { path: '\\.controller\\.ts$' },
    },
    {
      name: 'only-persistence-knows-the-driver',
      comment: 'SQL stands in repositories, readers and recorders, and its driver in the rooms below them.',
      severity: 'error',
      from: { path: '^src/', pathNot: [PERSISTENCE, TESTS] },
      to: { path: packages('typeorm', '@nestjs/typeorm', 'pg', 'pg-pool') },
    },
    {
      name: 'only-jobs-know-the-queue',
      comment: 'Its migrations belong to the database room; the schedule names the type of its items.',
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
      name: 'dto-stays-at-the-controller',
      severity: 'error',
      from: { path: '^src/', pathNot: ['\\.(controller|dto)\\.ts$', TESTS] },
      to: { path: '\\.dto\\.ts$' },
    },
    {
      name: 'entity-stays-at-the-repository',
      severity: 'error',
      from: { path: '^src/', pathNot: ['\\.(repository|reader|recorder|entity)\\.ts$', '^src/database/'] },
      to: { path: '\\.entity\\.ts$' },
    },
    {
      name: 'repositories-stay-in-their-feature',
      comment: 'Another feature asks the service or a reader; who writes a row is then found in one place.',
      severity: 'error',
      from: { path: '^src/(?:features/)?([^/]+)/', pathNot: TESTS },
      to: { path: '\\.repository\\.ts$', pathNot: '^src/(?:features/)?$1/' },
    },
    {
      name: 'features-meet-at-their-doors',
      comment: 'Across features: a module, a service, a reader or a recorder. Types come along, behaviour does not.',
      severity: 'error',
      from: { path: '^src/features/([^/]+)/', pathNot: TESTS },
      to: {
        path: '^src/features/',
        pathNot: ['^src/features/$1/', DOORS],
        dependencyTypesNot: ['type-only'],
      },
    },
    ...roomRules,
    {
      name: 'every-room-has-its-place',
      comment: 'A new room says in `ROOMS` what it stands on.',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: [`^src/(${Object.keys(ROOMS).join('|')}|cli)/`, TESTS] },
      to: {},
    },
    {
      name: 'no-circular',
      comment: 'Also through types: two files that need each other are one noun, or three.',
      severity: 'error',
      from: { path: '^(src|migrations|bench)/' },
      to: { circular: true },
    },
    {
      name: 'no-circular-loading-in-tests',
      comment:
        'The simulated GitHub is a world whose things know each other, by type; loading them must not go in circles.',
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
      name: 'the-demo-is-an-outsider',
      comment:
        'It drives the service as a CI run and a reviewer would; of our own code it may use the simulated GitHub.',
      severity: 'error',
      from: { path: '^test/demo/', pathNot: TESTS },
      to: { path: '^(src|migrations|bench|test)/', pathNot: '^test/(demo|github-sim)/' },
    },
    {
      name: 'the-simulated-github-stands-apart',
      comment: 'It must be able to contradict the service, so it shares nothing with it but the time.',
      severity: 'error',
      from: { path: '^test/github-sim/', pathNot: TESTS },
      to: { path: '^(src|migrations|bench|test)/', pathNot: '^test/github-sim/|^src/clock/clock\\.ts$' },
    },
    {
      name: 'no-development-package-in-production',
      severity: 'error',
      from: { path: '^(src|migrations)/', pathNot: TESTS },
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
      extensions: ['.ts', '.mjs', '.js', '.json', '.d.ts'],
      // Packages of nothing but types have no other entry.
      mainFields: ['module', 'main', 'types', 'typings'],
    },
  },
};
