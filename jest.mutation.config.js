import base from './jest.config.js';

const {
  globalSetup: _database,
  globalTeardown: _stop,
  testEnvironment: _globals,
  testRunner: _modules,
  ...rest
} = base;
const [typescript, [swc, options]] = Object.entries(base.transform)[0];
const asCommonJs = { ...options, module: { type: 'commonjs' } };

// Packages that exist only as ES modules and that the specs of the guards load.
const esmPackages = '@nestjs|@octokit|jose|content-disposition|cookie|p-queue|p-timeout';

/**
 * The configuration for mutation tests of the rules: without a database, and as CommonJS, which loads several times as fast.
 * The generated specs are omitted, because a written rule must detect each mutant.
 */
export default {
  ...rest,
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testMatch: [
    `**/src/${process.env['MUTATION_SPECS'] ?? '{domain,auth,crypto}/**/*.spec.ts'}`,
    '**/src/features/accounts/sign-in/login-cookie*.spec.ts',
    '**/src/features/team/invite-tokens.spec.ts',
  ],
  testPathIgnorePatterns: ['fuzz', 'oracle', 'fail-closed', '\\.postgres\\.'],
  extensionsToTreatAsEsm: [],
  setupFiles: ['reflect-metadata'],
  transform: {
    [typescript]: [swc, asCommonJs],
    [`/node_modules/(${esmPackages})/.+\\.js$`]: [swc, { ...asCommonJs, jsc: { target: 'es2022' } }],
  },
  transformIgnorePatterns: [`/node_modules/(?!(${esmPackages})/)`],
};
