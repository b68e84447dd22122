const jsc = {
  target: 'es2022',
  keepClassNames: true,
  parser: { syntax: 'typescript', decorators: true },
  transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: true },
};

// ESM-only packages that CommonJS dependencies require(): Jest's module registry needs them as CommonJS.
const esmLeaves = 'content-disposition|cookie';

/** @type {import('jest').Config} */
export default {
  roots: ['<rootDir>/src', '<rootDir>/test', '<rootDir>/migrations'],
  testMatch: ['**/*.spec.ts', '**/*.e2e-spec.ts'],
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': ['@swc/jest', { swcrc: false, sourceMaps: 'inline', jsc, module: { type: 'es6' } }],
    [`/node_modules/(${esmLeaves})/.+\\.js$`]: ['@swc/jest', { swcrc: false, jsc: { target: 'es2022' } }],
  },
  transformIgnorePatterns: [`/node_modules/(?!(${esmLeaves})/)`],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  setupFiles: ['reflect-metadata'],
  globalSetup: './test/support/jest-global-setup.mjs',
  globalTeardown: './test/support/jest-global-teardown.mjs',
  testTimeout: 30_000,
  // Jest would leave one core to itself, and a third of a two-core machine idle: the suites wait on Postgres more than on Node.
  maxWorkers: '100%',
  workerIdleMemoryLimit: '1200MB',
};
