// The processes of Stryker inherit it.
process.env['TEST_SET'] = 'mutation';

/** @type {import('@stryker-mutator/core').PartialStrykerOptions} */
export default {
  mutate: [
    'src/{domain,auth,crypto}/**/*.ts',
    'src/features/accounts/sign-in/login-cookie.ts',
    'src/features/team/invite-tokens.ts',
    '!src/**/*.{module,queries,spec}.ts',
  ],
  testRunner: 'jest',
  testRunnerNodeArgs: ['--experimental-vm-modules', '--no-warnings'],
  jest: { projectType: 'custom', configFile: 'config/jest.config.js', enableFindRelatedTests: true },
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  concurrency: 2,
  maxTestRunnerReuse: 40,
  timeoutMS: 20_000,
  tempDirName: '.stryker-tmp',
  reporters: ['clear-text', 'json'],
  jsonReporter: { fileName: 'reports/mutation/mutation.json' },
  clearTextReporter: { allowColor: false, reportTests: false, skipFull: true },
};
