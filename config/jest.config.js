import { availableParallelism } from 'node:os';

const jsc = {
  target: 'es2022',
  keepClassNames: true,
  parser: { syntax: 'typescript', decorators: true },
  transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: true },
};
const asCommonJs = { swcrc: false, sourceMaps: 'inline', jsc, module: { type: 'commonjs' } };

/** The tests of `npm test`, and what all sets share. */
const main = {
  rootDir: '..',
  roots: ['<rootDir>/bench', '<rootDir>/src', '<rootDir>/test', '<rootDir>/migrations', '<rootDir>/web/src'],
  testMatch: ['**/*.spec.ts', '**/*.e2e-spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', '\\.long\\.(e2e-)?spec\\.ts$'],
  // A worker loads packages once, and our sources for each test file: docs/adr/0016.
  testEnvironment: '<rootDir>/test/support/jest-environment.mjs',
  testRunner: '<rootDir>/test/support/jest-runner.mjs',
  testSequencer: '<rootDir>/test/support/slow-first-sequencer.mjs',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { ...asCommonJs, module: { type: 'es6' } }] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  globalSetup: '<rootDir>/test/support/jest-global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/jest-global-teardown.mjs',
  // Long, because test machines are busy. It ends only tests that would never end.
  testTimeout: 120_000,
  // Test files wait for Postgres, sockets and deadlines. On two cores, two workers leave a quarter of the cores idle, and four workers take
  // no less time than three.
  maxWorkers: Math.max(3, availableParallelism()),
  workerIdleMemoryLimit: '1200MB',
};

// Packages that exist only as ES modules and that the specs of the guards load.
const esmPackages = '@nestjs|@octokit|jose|content-disposition|cookie|p-queue|p-timeout';

/** The sets of tests. `TEST_SET` names one. */
const sets = {
  main,

  /**
   * Every route and credential, the less common paths of each feature, the command line as a process, crashes, failures of GitHub, and every
   * combination of a rule. CI runs them after `npm test`.
   */
  long: {
    ...main,
    testMatch: ['**/*.long.spec.ts', '**/*.long.e2e-spec.ts'],
    testPathIgnorePatterns: ['/node_modules/'],
  },

  /** The screens of the dashboard, one file after the other. `npm test` runs those of one release. */
  browser: { ...main, testMatch: ['**/test/browser/**/*.browser-spec.ts'], maxWorkers: 1 },

  /** The full fault tests, which run one after the other for hours. The set `long` has short forms of them. */
  faults: { ...main, testMatch: ['**/test/faults/**/*.fault-spec.ts'], testTimeout: 3_600_000, maxWorkers: 1 },

  /** The image, which Docker or Podman builds and starts. It needs a minute or more and the network. */
  image: { ...main, testMatch: ['**/test/deployment/*.image-spec.ts'], testTimeout: 1_800_000, maxWorkers: 1 },

  /** The service with the servers of the distribution's packages, one file after the other. */
  operate: { ...main, testMatch: ['**/test/operate/**/*.operate-spec.ts'], testTimeout: 600_000, maxWorkers: 1 },

  /**
   * The specs of the rules for mutation tests: without a database, and as CommonJS, which loads several times as fast. The generated specs
   * are omitted, because a written rule must detect each mutant.
   */
  mutation: {
    rootDir: main.rootDir,
    roots: ['<rootDir>/src', '<rootDir>/test'],
    testMatch: [
      `**/src/${process.env['MUTATION_SPECS'] ?? '{domain,auth,crypto}/**/*.spec.ts'}`,
      '**/src/features/accounts/sign-in/login-cookie*.spec.ts',
      '**/src/features/team/invite-tokens.spec.ts',
    ],
    testPathIgnorePatterns: ['fuzz', 'oracle', 'fail-closed', '\\.postgres\\.'],
    moduleNameMapper: main.moduleNameMapper,
    setupFiles: ['reflect-metadata'],
    transform: {
      '^.+\\.ts$': ['@swc/jest', asCommonJs],
      [`/node_modules/(${esmPackages})/.+\\.js$`]: ['@swc/jest', { ...asCommonJs, jsc: { target: 'es2022' } }],
    },
    transformIgnorePatterns: [`/node_modules/(?!(${esmPackages})/)`],
    testTimeout: main.testTimeout,
  },
};

const name = process.env['TEST_SET'] ?? 'main';
if (!Object.hasOwn(sets, name)) throw new Error(`There is no set of tests "${name}": ${Object.keys(sets).join(', ')}.`);

/** @type {import('jest').Config} */
export default sets[name];
